package io.tidemark.sim;

import java.lang.reflect.InvocationTargetException;

/** Entry for a run among the classes of a mutant. */
public final class MutantRun {
    /** Stands for what a story says by itself. */
    static final String STORY = "STORY";

    private MutantRun() {}

    /**
     * Runs a story.
     *
     * @param name of the test in SimStoryTest that tells it
     * @return the invariant that was broken, {@link #STORY} if the story did not go as told, or an empty text
     */
    public static String story(String name) {
        try {
            SimStoryTest.class.getDeclaredMethod(name).invoke(new SimStoryTest());
            return "";
        } catch (InvocationTargetException thrown) {
            return thrown.getCause() instanceof SimViolation violation ? violation.invariant() : STORY;
        } catch (ReflectiveOperationException gone) {
            throw new IllegalStateException("there is no such story: " + name, gone);
        }
    }

    /**
     * Runs a seed.
     *
     * @param seed to draw the run from
     * @param plan kinds of faults of which it is drawn, with blanks between them; empty for any
     * @return the invariant that was broken, or an empty text
     */
    public static String run(long seed, String plan) {
        try (SimFolder folder = new SimFolder()) {
            SimViolation violation =
                    SimRun.of(seed, plan, folder.next(), false).run().violation();
            return violation == null ? "" : violation.invariant();
        }
    }
}
