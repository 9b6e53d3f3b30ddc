package io.millrace.config.binding;

import io.millrace.config.problem.SettingPath;
import io.millrace.config.problem.SubstitutedText;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a mapping of the settings file as JSON, for a value whose own form that is. All single values become texts:
 * what YAML takes them for is not known any more.
 */
record MappingJson(BindingContext binding) {
    /** Returns the JSON of a node; variables that are missing in it are reported. */
    String write(SettingsNode node, String path) {
        if (node instanceof SettingsNode.Mapping mapping) {
            List<String> fields = new ArrayList<>();
            mapping.entries()
                    .forEach((name, value) ->
                            fields.add(quoted(name) + ':' + write(value, SettingPath.child(path, name))));
            return '{' + String.join(",", fields) + '}';
        }
        if (node instanceof SettingsNode.Sequence sequence) {
            List<String> elements = new ArrayList<>();
            for (SettingsNode element : sequence.elements()) {
                elements.add(write(element, SettingPath.element(path, elements.size())));
            }
            return '[' + String.join(",", elements) + ']';
        }
        return SettingsNode.isBlank(node) ? "null" : single((SettingsNode.Scalar) node, path);
    }

    private String single(SettingsNode.Scalar scalar, String path) {
        return quoted(
                binding.text(scalar, path, false).map(SubstitutedText::value).orElse(scalar.raw()));
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append("\\u%04x".formatted((int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }
}
