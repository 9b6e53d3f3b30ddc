package io.millrace.config.binding;

import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.binding.SettingsSections.Section;
import io.millrace.config.problem.SettingPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** Generates the reference page of all settings: type, default, environment variable and description of each key. */
public final class SettingsReferenceGenerator {
    private final SettingsVariantRegistry variants;
    private final StringBuilder page = new StringBuilder(introduction());

    private SettingsReferenceGenerator(SettingsVariantRegistry variants) {
        this.variants = variants;
    }

    /**
     * Returns the page as Markdown, with keys in declaration order.
     *
     * @param root the record of the whole file
     * @param variants the records that a key {@code type} selects
     * @throws IllegalStateException if a key has no {@link SettingDescription}, an invalid default or an unsupported
     *     type
     */
    public static String markdown(Class<? extends Record> root, SettingsVariantRegistry variants) {
        SettingsReferenceGenerator reference = new SettingsReferenceGenerator(variants);
        SettingsSections layout = SettingsSections.of(new RecordSchema(root, variants));
        layout.verifyDefaults();
        reference.reloads(layout);
        layout.sections().forEach(reference::section);
        return reference.page.toString();
    }

    private static String introduction() {
        try (InputStream in =
                Objects.requireNonNull(SettingsReferenceGenerator.class.getResourceAsStream("reference.md"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void reloads(SettingsSections layout) {
        String applied = keys(layout, true);
        if (applied.isEmpty()) {
            return;
        }
        page.append("\n## Reload\n\n")
                .append("`millrace config reload`, or SIGHUP, reads the file again without a restart"
                        + " ([more](running.md#change-the-settings)). It\napplies these keys and all below them:\n\n")
                .append(applied)
                .append("\nAll other keys need a restart, and so do these:\n\n")
                .append(keys(layout, false));
    }

    private static String keys(SettingsSections layout, boolean reloadable) {
        return layout.sections().stream()
                .flatMap(section -> section.keys().stream()
                        .filter(key -> key.reload()
                                .filter(applied -> applied == reloadable)
                                .isPresent())
                        .map(key -> "- " + code(SettingPath.child(section.path(), key.name())) + "\n"))
                .collect(Collectors.joining());
    }

    private void section(Section section) {
        page.append('\n')
                .append(section.type().isEmpty() ? "## " : "### ")
                .append(title(section))
                .append("\n\n");
        if (section.type().isEmpty() && !section.description().isEmpty()) {
            page.append(section.description()).append("\n\n");
        }
        if (section.isFamily()) {
            family(section);
        } else {
            table(section);
        }
    }

    private static String title(Section section) {
        if (section.path().isEmpty()) {
            return "The file";
        }
        return section.type().isEmpty()
                ? code(section.path())
                : code(section.path()) + " of "
                        + (section.type().equals(Section.ANY_TYPE) ? "any type" : "type " + code(section.type()));
    }

    private void family(Section section) {
        String variable = code(section.variable() + EnvironmentVariableName.of(VariantSchema.TYPE));
        page.append("The key `type` (").append(variable).append(") selects the other keys:\n\n");
        for (String type : variants.records(section.family()).keySet()) {
            String path = section.path() + " of type " + type;
            page.append("- ").append(link(code("type: " + type), path)).append('\n');
        }
    }

    private void table(Section section) {
        page.append("| key | type | default | environment variable | description |\n");
        page.append("| --- | --- | --- | --- | --- |\n");
        for (SettingDefinition key : section.keys()) {
            row(code(key.name()), type(key, section), byDefault(key), variable(key, section), meaning(key));
            if (key.isSecret()) {
                String file = InlineOrFileSecret.fileKey(key.name());
                String what = "A file with the secret, instead of " + code(key.name()) + ".";
                row(code(file), "path", "none", code(section.variable() + EnvironmentVariableName.of(file)), what);
            }
        }
    }

    private void row(String... cells) {
        page.append(List.of(cells).stream()
                .map(cell -> cell.replace("|", "\\|").replaceAll("\\s+", " "))
                .collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    private static String type(SettingDefinition key, Section section) {
        return type(key.shape(), SettingPath.child(section.path(), key.name()));
    }

    private static String type(SettingSchema shape, String path) {
        if (shape instanceof RecordSchema || shape instanceof VariantSchema) {
            return link("keys", path);
        }
        if (shape.isScalar() || shape.nested().isEmpty()) {
            return shape.typeName();
        }
        SettingSchema.NestedSchema below = shape.nested().get();
        String inner = type(below.shape(), path + below.path());
        return shape instanceof OptionalSchema
                ? inner
                : (shape instanceof ListSchema ? "list of " : "by name, ") + inner;
    }

    private static String byDefault(SettingDefinition key) {
        if (key.isRequired()) {
            return key.isSecret() ? "one of the two is required" : "required";
        }
        if (key.defaultValue().isEmpty()) {
            return key.shape() instanceof RecordSchema ? "–" : "none";
        }
        return code(key.defaultValue());
    }

    private static String variable(SettingDefinition key, Section section) {
        return key.shape().isScalar() ? code(section.variable() + EnvironmentVariableName.of(key.name())) : "–";
    }

    /** A key with a section of its own has only its first sentence in the table; the section has all. */
    private static String meaning(SettingDefinition key) {
        String what = key.setting().value();
        int end = what.indexOf(". ");
        String sentences = key.shape().isScalar() || end < 0 ? what : what.substring(0, end + 1);
        String example = key.setting().example();
        return example.isEmpty() ? sentences : sentences + " Example: " + code(example) + ".";
    }

    private static String code(String text) {
        return "`" + text + "`";
    }

    /** Returns a link to the section with this title, with the anchor that GitHub and others generate. */
    private static String link(String text, String title) {
        String anchor =
                title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 _-]", "").replace(' ', '-');
        return "[" + text + "](#" + anchor + ")";
    }
}
