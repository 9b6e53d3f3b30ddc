package io.millrace.loadgen;

import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsReader;
import io.millrace.config.problem.SettingsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Loads scenarios from a user's file and from the built-in ones. Blocks on files. */
final class ScenarioLoader {
    /** The names of the built-in scenarios. */
    static final List<String> BUILT_IN =
            List.of("get", "small-files", "cold-warm", "epoch", "herd", "parquet", "checkpoint", "mixed");

    private ScenarioLoader() {}

    /**
     * Loads a scenario.
     *
     * @param name a built-in scenario, or the path of a file
     * @throws SettingsException with all problems of the file
     */
    static Scenario load(String name) throws SettingsException {
        SettingsReader reader =
                new SettingsReader(SettingsVariantRegistry.builder().build(), Map.of());
        return BUILT_IN.contains(name)
                ? reader.readText(text(name), Path.of(""), Scenario.class).settings()
                : reader.read(Path.of(name), Scenario.class).settings();
    }

    /** Returns the text of a built-in scenario. */
    static String text(String builtIn) {
        String resource = "/io/millrace/loadgen/scenarios/" + builtIn + ".yaml";
        try (InputStream in = Objects.requireNonNull(ScenarioLoader.class.getResourceAsStream(resource))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
