package io.millrace.config;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings: a YAML file, and environment variables over it, become a tree of records.
 *
 * <p>Component {@code blockSize} of the record under {@code cache} is the key {@code cache.block-size} and the variable
 * {@code MILLRACE_CACHE_BLOCK_SIZE}. Every component has a {@link Setting}. Its type decides how its text is read:
 *
 * <ul>
 *   <li>{@code String}, {@code int}, {@code long}, {@code double}, {@code boolean}, {@link DataSize},
 *       {@link java.time.Duration}, {@link Path} (relative to the folder of the file), {@link java.net.URI} (http or
 *       https), {@link Secret} (with a second key {@code …-file}), enums in lower case with dashes;
 *   <li>a class with {@code public static} {@code parse(String)}, and a record of one {@code String} without
 *       {@link Setting}, which say by {@link IllegalArgumentException} what is wrong with a text;
 *   <li>other records, {@code List}, {@code Map<String, …>} and {@code Optional} of all these, and {@link Typed} with
 *       {@link ByType}.
 * </ul>
 *
 * <p>In the file, <code>${NAME}</code> stands for an environment variable. Problems do not stop the reading: a broken
 * value counts as its default, a broken element is left out, and all problems are thrown together at the end. A record
 * that cannot be bound at all, by a type or default of its own, is a mistake in the program and an
 * {@link IllegalStateException}.
 *
 * <p>Immutable; reading blocks on the file.
 */
public final class SettingsReader {
    private static final String BUILT_IN = "built-in defaults";

    private final Variants variants;
    private final Map<String, String> environment;

    /**
     * @param variants the records that a key {@code type} chooses from
     * @param environment the variables, by name: {@code System.getenv()}
     */
    public SettingsReader(Variants variants, Map<String, String> environment) {
        this.variants = variants;
        this.environment = Map.copyOf(environment);
    }

    /**
     * Reads the operator's file.
     *
     * @throws SettingsException with all problems
     */
    public <S extends Record> Loaded<S> read(Path file, Class<S> type) throws SettingsException {
        return read(file, type, (settings, problems) -> {});
    }

    /**
     * Reads the operator's file.
     *
     * @param more adds what is wrong beside what the records check themselves, as what this machine does not have
     * @throws SettingsException with all problems
     */
    public <S extends Record> Loaded<S> read(Path file, Class<S> type, BiConsumer<? super S, Problems> more)
            throws SettingsException {
        String source = file.toString();
        Report report = new Report();
        try {
            Optional<Tree> tree = new YamlReader(source, report).read(SettingsFile.read(file));
            if (report.isEmpty() && tree.filter(root -> !Tree.isBlank(root)).isEmpty()) {
                throw new Unfit("is empty", "write settings into it, or start without a file");
            }
            return bind(tree, source, folderOf(file), type, more, report);
        } catch (Unfit e) {
            report.add(new Place(source, 0), "", "", e.what(), e.remedy());
            throw report.exception();
        }
    }

    /**
     * Reads settings that come with the program, for when there is no file. They may be empty.
     *
     * @param baseFolder what relative paths are relative to
     * @throws SettingsException with all problems
     */
    public <S extends Record> Loaded<S> readText(String yaml, Path baseFolder, Class<S> type) throws SettingsException {
        return readText(yaml, baseFolder, type, (settings, problems) -> {});
    }

    /**
     * Reads settings that come with the program, and checks more as {@link #read(Path, Class, BiConsumer)} does.
     *
     * @throws SettingsException with all problems
     */
    public <S extends Record> Loaded<S> readText(
            String yaml, Path baseFolder, Class<S> type, BiConsumer<? super S, Problems> more)
            throws SettingsException {
        Report report = new Report();
        Optional<Tree> tree = new YamlReader(BUILT_IN, report).read(yaml);
        return bind(tree, BUILT_IN, baseFolder.toAbsolutePath(), type, more, report);
    }

    private static Path folderOf(Path file) {
        Path absolute = file.toAbsolutePath();
        return Objects.requireNonNullElse(absolute.getParent(), absolute);
    }

    private <S extends Record> Loaded<S> bind(
            Optional<Tree> written,
            String source,
            Path folder,
            Class<S> type,
            BiConsumer<? super S, Problems> more,
            Report report)
            throws SettingsException {
        if (written.isEmpty() && !report.isEmpty()) {
            throw report.exception();
        }
        Tree root = written.filter(tree -> !Tree.isBlank(tree)).orElseGet(() -> nothing(source));
        RecordShape shape = new RecordShape(type, variants);
        Layout layout = Layout.of(shape);
        layout.verifyDefaults();
        List<String> used = root instanceof Tree.Mapping mapping
                ? new Environment(environment, report).applyTo(mapping, shape)
                : List.of();
        @Nullable Object settings = shape.bind(root, "", new Binding(layout, new Substitution(environment), folder, report));
        if (settings != null) {
            more.accept(type.cast(settings), new Problems(report, ""));
        }
        if (settings == null || !report.isEmpty()) {
            throw report.exception();
        }
        return new Loaded<>(
                type.cast(settings),
                used.isEmpty() ? source : source + " and " + String.join(", ", used),
                report.warnings());
    }

    private static Tree nothing(String source) {
        return new Tree.Mapping(new Place(source, 0), new LinkedHashMap<>());
    }
}
