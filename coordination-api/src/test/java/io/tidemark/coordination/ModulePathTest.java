package io.tidemark.coordination;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The module descriptor is right: on the module path, a back end is found and can be opened and closed. */
final class ModulePathTest {
    private static final String MODULE = "io.tidemark.coordination";

    @Test
    void shouldFindTheLocalBackEndOnTheModulePath() throws Exception {
        ModuleFinder finder = ModuleFinder.of(pathOf(Coordinations.class), pathOf(LoggerFactory.class));
        Configuration configuration =
                ModuleLayer.boot().configuration().resolve(finder, ModuleFinder.of(), Set.of(MODULE));
        ClassLoader loader = ModuleLayer.boot()
                .defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader())
                .findLoader(MODULE);
        Class<?> coordinations = loader.loadClass(Coordinations.class.getName());
        assertTrue(coordinations.getModule().isNamed());
        Class<?> configType = loader.loadClass(CoordinationConfig.class.getName());
        Object config = configType.getMethod("defaults").invoke(null);
        Object client =
                coordinations.getMethod("open", String.class, configType).invoke(null, "local:", config);
        assertEquals(MODULE, client.getClass().getModule().getName());
        ((AutoCloseable) client).close();
    }

    private static Path pathOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
