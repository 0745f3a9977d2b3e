package io.tidemark.log;

/** A batch cannot be opened or made here because the library of its codec is not there. Nothing was stored. */
public final class MissingCodecException extends InvalidBatchException {
    private static final long serialVersionUID = 1L;

    /**
     * An error with the failure to load the library as its cause.
     *
     * @param compression whose library is missing
     * @param cause what was caught
     */
    public MissingCodecException(Compression compression, Throwable cause) {
        super("the library of a codec cannot be loaded: codec=" + compression.label() + ", artifact="
                + compression.artifact() + "; put the artifact on the class path or the module path, or produce with"
                + " another compression");
        initCause(cause);
    }
}
