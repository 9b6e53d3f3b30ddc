package io.millrace.config;

import io.millrace.config.Layout.Section;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the reference page: every key with its type, default, environment variable and meaning. */
public final class Reference {
    private final Variants variants;
    private final StringBuilder page = new StringBuilder(ReferenceText.INTRODUCTION);

    private Reference(Variants variants) {
        this.variants = variants;
    }

    /**
     * The page as Markdown, in the order in which records declare their keys.
     *
     * @param root the record of the whole file
     * @param variants the records that a key {@code type} chooses from
     * @throws IllegalStateException if a key has no {@link Setting}, a default that is none, or a type that no setting can be
     */
    public static String markdown(Class<? extends Record> root, Variants variants) {
        Reference reference = new Reference(variants);
        Layout layout = Layout.of(new RecordShape(root, variants));
        layout.verifyDefaults();
        layout.sections().forEach(reference::section);
        return reference.page.toString();
    }

    private void section(Section section) {
        page.append('\n')
                .append(section.type().isEmpty() ? "## " : "### ")
                .append(title(section))
                .append("\n\n");
        if (section.type().isEmpty() && !section.what().isEmpty()) {
            page.append(section.what()).append("\n\n");
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
                : code(section.path()) + " of type " + code(section.type());
    }

    private void family(Section section) {
        String variable = code(section.variable() + VariableName.of(VariantShape.TYPE));
        page.append("The key `type` (").append(variable).append(") says which other keys there are:\n\n");
        for (String type : variants.records(section.family()).keySet()) {
            String path = section.path() + " of type " + type;
            page.append("- ").append(link(code("type: " + type), path)).append('\n');
        }
        Map<String, String> notYet = variants.notYet(section.family());
        if (!notYet.isEmpty()) {
            page.append("\nKnown, and not there yet:\n\n");
            notYet.forEach((type, remedy) -> page.append("- ")
                    .append(code("type: " + type))
                    .append(": ")
                    .append(remedy)
                    .append('\n'));
        }
    }

    private void table(Section section) {
        page.append("| key | type | default | environment variable | what it is |\n");
        page.append("| --- | --- | --- | --- | --- |\n");
        for (Key key : section.keys()) {
            row(code(key.name()), type(key, section), byDefault(key), variable(key, section), meaning(key));
            if (key.isSecret()) {
                String file = SecretKey.fileKey(key.name());
                String what = "A file with the secret, instead of " + code(key.name()) + ".";
                row(code(file), "path", "none", code(section.variable() + VariableName.of(file)), what);
            }
        }
    }

    private void row(String... cells) {
        page.append(List.of(cells).stream()
                .map(cell -> cell.replace("|", "\\|").replaceAll("\\s+", " "))
                .collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    private static String type(Key key, Section section) {
        return type(key.shape(), KeyPath.child(section.path(), key.name()));
    }

    private static String type(Shape shape, String path) {
        if (shape instanceof RecordShape || shape instanceof VariantShape) {
            return link("keys", path);
        }
        if (shape.isSingle() || shape.below().isEmpty()) {
            return shape.word();
        }
        Shape.Below below = shape.below().get();
        String inner = type(below.shape(), path + below.path());
        return shape instanceof OptionalShape ? inner : (shape instanceof ListShape ? "list of " : "by name, ") + inner;
    }

    private static String byDefault(Key key) {
        if (key.isRequired()) {
            return key.isSecret() ? "one of the two is required" : "required";
        }
        if (key.setting().byDefault().isEmpty()) {
            return key.shape() instanceof RecordShape ? "–" : "none";
        }
        return code(key.setting().byDefault());
    }

    private static String variable(Key key, Section section) {
        return key.shape().isSingle() ? code(section.variable() + VariableName.of(key.name())) : "–";
    }

    /** What a row says of a key with a section of its own is its first sentence; the section has the rest. */
    private static String meaning(Key key) {
        String what = key.setting().value();
        int end = what.indexOf(". ");
        String sentences = key.shape().isSingle() || end < 0 ? what : what.substring(0, end + 1);
        String example = key.setting().example();
        return example.isEmpty() ? sentences : sentences + " Example: " + code(example) + ".";
    }

    private static String code(String text) {
        return "`" + text + "`";
    }

    /** A link to the section with this title, by the rule that makes anchors of titles on GitHub and elsewhere. */
    private static String link(String text, String title) {
        String anchor =
                title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 _-]", "").replace(' ', '-');
        return "[" + text + "](#" + anchor + ")";
    }
}
