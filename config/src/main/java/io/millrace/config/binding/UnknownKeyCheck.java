package io.millrace.config.binding;

import io.millrace.config.binding.SettingsSections.Section;
import io.millrace.config.problem.ClosestMatch;
import io.millrace.config.problem.SettingPath;
import java.util.List;
import java.util.Optional;

/**
 * Reports unknown keys of a mapping in the settings and suggests the key that was probably meant. Messages do not show
 * their values, because a misspelt key may hold a secret.
 *
 * @param validKeys the valid keys
 */
record UnknownKeyCheck(List<String> validKeys, BindingContext binding) {
    /** Reports the unknown keys of {@code mapping} at {@code path}. */
    void reportAll(SettingsNode.Mapping mapping, String path) {
        mapping.entries().forEach((key, tree) -> {
            if (!validKeys.contains(key)) {
                String keyPath = SettingPath.child(path, SettingPath.printableKey(key));
                String remedy = hint(key, path) + "known here: " + String.join(", ", validKeys);
                binding.report().add(tree.place(), keyPath, "", "is not a key that Millrace knows", remedy);
            }
        });
    }

    private String hint(String key, String path) {
        if (key.equals("<<")) {
            return "write the keys out, as << is not read; ";
        }
        Optional<String> runInto = validKeys.stream()
                .filter(word -> SettingPath.printableKey(key).equals(word + "…"))
                .findFirst();
        if (runInto.isPresent()) {
            return "write " + runInto.get() + ": and a space before the value; ";
        }
        return RenamedSettingsKeys.find(key, validKeys)
                .map(now -> "it is now called " + now + "; ")
                .or(() -> elsewhere(key, path))
                .or(() -> ClosestMatch.find(key, validKeys).map(near -> "did you mean " + near + "? "))
                .orElse("");
    }

    private Optional<String> elsewhere(String key, String path) {
        List<Section> sections = binding.layout().sectionsWith(key);
        List<String> types = sections.stream()
                .filter(section -> section.isAt(path))
                .map(Section::type)
                .toList();
        if (!types.isEmpty()) {
            return Optional.of("it belongs to type " + ChoiceFormatter.join(types) + "; ");
        }
        return sections.size() == 1
                ? Optional.of("move it to " + SettingPath.child(sections.get(0).path(), key) + "; ")
                : Optional.empty();
    }
}
