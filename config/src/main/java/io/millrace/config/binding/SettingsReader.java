package io.millrace.config.binding;

import io.millrace.config.DataSize;
import io.millrace.config.FlatSettings;
import io.millrace.config.Secret;
import io.millrace.config.SelectedByType;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SettingsException;
import io.millrace.config.problem.SourceLocation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a YAML file, overrides it with environment variables and binds the result to a tree of settings records.
 *
 * <p>Component {@code blockSize} of the record under {@code cache} is the key {@code cache.block-size} and the variable
 * {@code MILLRACE_CACHE_BLOCK_SIZE}. Every component has a {@link SettingDescription}. Its type decides how its text is
 * parsed:
 *
 * <ul>
 *   <li>{@code String}, {@code int}, {@code long}, {@code double}, {@code boolean}, {@link DataSize},
 *       {@link java.time.Duration}, {@link Path} (relative to the folder of the file), {@link java.net.URI} (http or
 *       https), {@link Secret} (with a second key {@code …-file}), enums in lower case with dashes;
 *   <li>a class with {@code public static} {@code parse(String)}, and a record of one {@code String} without
 *       {@link SettingDescription}, whose {@link IllegalArgumentException} says what is wrong with a text;
 *   <li>records with {@link FlatSettings}, whose keys stand among the others;
 *   <li>other records, {@code List}, {@code Map<String, …>} and {@code Optional} of all these, and {@link
 *   SettingsVariant} with
 *       {@link SelectedByType}.
 * </ul>
 *
 * <p>In the file, <code>${NAME}</code> stands for an environment variable. Problems do not stop the reading: an invalid
 * value counts as its default, an invalid element is left out, and all problems are thrown together at the end. A
 * record with an unsupported type or an invalid default is a bug and causes an {@link IllegalStateException}.
 *
 * <p>Immutable; reading blocks on the file.
 */
public final class SettingsReader {
    private static final String BUILT_IN = "built-in defaults";

    /** As many keys of secrets as a warning has room for. */
    private static final int MOST_SECRETS = 20;

    private final SettingsVariantRegistry variants;
    private final Map<String, String> environment;

    /**
     * @param variants the records that a key {@code type} selects
     * @param environment the variables, by name: {@code System.getenv()}
     */
    public SettingsReader(SettingsVariantRegistry variants, Map<String, String> environment) {
        this.variants = variants;
        this.environment = Map.copyOf(environment);
    }

    /**
     * Reads the settings file.
     *
     * @throws SettingsException with all problems
     */
    public <S extends Record> LoadedSettings<S> read(Path file, Class<S> type) throws SettingsException {
        return read(file, type, (settings, problems) -> {});
    }

    /**
     * Reads the settings file.
     *
     * @param more adds problems that the records cannot check themselves, such as missing memory of this machine
     * @throws SettingsException with all problems
     */
    public <S extends Record> LoadedSettings<S> read(
            Path file, Class<S> type, BiConsumer<? super S, ProblemReporter> more) throws SettingsException {
        String source = file.toString();
        ProblemCollector report = new ProblemCollector();
        try {
            Optional<SettingsNode> tree = new YamlReader(source, report).read(SettingsFile.read(file));
            if (report.isEmpty()
                    && tree.filter(root -> !SettingsNode.isBlank(root)).isEmpty()) {
                throw new InvalidValueException("is empty", "write settings into it, or start without a file");
            }
            return bind(
                    tree,
                    source,
                    folderOf(file),
                    type,
                    (settings, problems) -> {
                        more.accept(settings, problems);
                        warnIfReadable(file, source, report);
                    },
                    report);
        } catch (InvalidValueException e) {
            report.add(new SourceLocation(source, 0), "", "", e.description(), e.remedy());
            throw report.exception();
        }
    }

    /**
     * Returns the text of one key, whatever is wrong with the rest of the file: for what has to be known to report
     * that. Empty if it is not set, or cannot be read, or the file is none that can be read twice.
     *
     * @param file empty if there is none
     * @param section the section of the file, as {@code log}
     * @param key the key in that section, as {@code format}
     */
    public Optional<String> textOf(Optional<Path> file, String section, String key) {
        String variable = EnvironmentVariableName.PREFIX + (section + "_" + key).toUpperCase(Locale.ROOT);
        return Optional.ofNullable(environment.get(variable))
                .or(() -> file.filter(Files::isRegularFile).flatMap(path -> textIn(path, section, key)))
                .map(String::strip);
    }

    private Optional<String> textIn(Path file, String section, String key) {
        try {
            Optional<SettingsNode> root =
                    new YamlReader(file.toString(), new ProblemCollector()).read(SettingsFile.read(file));
            Optional<SettingsNode> text =
                    root.flatMap(tree -> entry(tree, section)).flatMap(tree -> entry(tree, key));
            return text.isPresent() && text.get() instanceof SettingsNode.Scalar scalar
                    ? Optional.of(new VariableSubstitution(environment)
                            .resolve(scalar)
                            .value())
                    : Optional.empty();
        } catch (InvalidValueException unreadable) {
            return Optional.empty();
        }
    }

    private static Optional<SettingsNode> entry(SettingsNode tree, String name) {
        return tree instanceof SettingsNode.Mapping mapping
                ? Optional.ofNullable(mapping.entries().get(name))
                : Optional.empty();
    }

    private static void warnIfReadable(Path file, String source, ProblemCollector report) {
        List<String> secrets = report.literalSecrets(source);
        if (secrets.isEmpty() || !SecretFile.isReadableByEverybody(file)) {
            return;
        }
        // One warning, because one command is the remedy for all.
        String others = String.join(", ", secrets.subList(1, Math.min(secrets.size(), MOST_SECRETS)));
        String more = secrets.size() > MOST_SECRETS ? " and %d more".formatted(secrets.size() - MOST_SECRETS) : "";
        report.warnOfSecret(
                secrets.get(0),
                "is a secret in a file that every user of this machine can read%s"
                        .formatted(others.isEmpty() ? "" : ", as are " + others + more),
                "chmod 600 %s, or write ${NAME} for each and set that variable".formatted(file));
    }

    /**
     * Reads the built-in settings, which apply without a file. They may be empty.
     *
     * @param baseFolder base of relative paths
     * @throws SettingsException with all problems
     */
    public <S extends Record> LoadedSettings<S> readText(String yaml, Path baseFolder, Class<S> type)
            throws SettingsException {
        return readText(yaml, baseFolder, type, (settings, problems) -> {});
    }

    /**
     * Reads the built-in settings with additional checks, as {@link #read(Path, Class, BiConsumer)} does.
     *
     * @throws SettingsException with all problems
     */
    public <S extends Record> LoadedSettings<S> readText(
            String yaml, Path baseFolder, Class<S> type, BiConsumer<? super S, ProblemReporter> more)
            throws SettingsException {
        ProblemCollector report = new ProblemCollector();
        Optional<SettingsNode> tree = new YamlReader(BUILT_IN, report).read(yaml);
        return bind(tree, BUILT_IN, baseFolder.toAbsolutePath(), type, more, report);
    }

    private static Path folderOf(Path file) {
        Path absolute = file.toAbsolutePath();
        return Objects.requireNonNullElse(absolute.getParent(), absolute);
    }

    private <S extends Record> LoadedSettings<S> bind(
            Optional<SettingsNode> written,
            String source,
            Path folder,
            Class<S> type,
            BiConsumer<? super S, ProblemReporter> more,
            ProblemCollector report)
            throws SettingsException {
        if (written.isEmpty() && !report.isEmpty()) {
            throw report.exception();
        }
        SettingsNode root = written.filter(tree -> !SettingsNode.isBlank(tree)).orElseGet(() -> nothing(source));
        RecordSchema shape = new RecordSchema(type, variants);
        SettingsSections layout = SettingsSections.of(shape);
        layout.verifyDefaults();
        List<String> used = root instanceof SettingsNode.Mapping mapping
                ? new EnvironmentOverrides(environment, report).applyTo(mapping, shape)
                : List.of();
        @Nullable Object settings =
                shape.bind(root, "", new BindingContext(layout, new VariableSubstitution(environment), folder, report));
        if (settings != null) {
            more.accept(type.cast(settings), new ProblemReporter(report, ""));
        }
        if (settings == null || !report.isEmpty()) {
            throw report.exception();
        }
        return new LoadedSettings<>(
                type.cast(settings),
                used.isEmpty() ? source : source + " and " + String.join(", ", used),
                report.warnings());
    }

    private static SettingsNode nothing(String source) {
        return new SettingsNode.Mapping(new SourceLocation(source, 0), new LinkedHashMap<>());
    }
}
