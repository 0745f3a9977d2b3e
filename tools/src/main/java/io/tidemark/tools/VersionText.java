package io.tidemark.tools;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints; the build writes the number into a resource. */
final class VersionText implements IVersionProvider {
    /** Called by the command line library. */
    VersionText() {}

    @Override
    public String[] getVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = VersionText.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        }
        return new String[] {
            "tidemark " + properties.getProperty("version", "(unknown version)"),
            "java " + System.getProperty("java.version")
        };
    }
}
