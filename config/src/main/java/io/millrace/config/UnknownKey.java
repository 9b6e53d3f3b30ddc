package io.millrace.config;

import io.millrace.config.Layout.Section;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reports keys that nobody knows. Their values are never shown: it may be a secret under a misspelt key.
 *
 * @param known the keys that can stand there
 */
record UnknownKey(List<String> known, Binding binding) {
    /** What a key looks like. Where it goes on otherwise, its value may have run into it. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_.-]{1,32}");

    /** A key of the file as it may be shown. */
    static String shown(String key) {
        Matcher word = WORD.matcher(key);
        boolean begins = word.lookingAt();
        return begins && word.end() == key.length() ? key : (begins ? word.group() : "") + "…";
    }

    /** Reports those of {@code mapping} at {@code path}. */
    void reportAll(Tree.Mapping mapping, String path) {
        mapping.entries().forEach((key, tree) -> {
            if (!known.contains(key)) {
                String keyPath = KeyPath.child(path, shown(key));
                String remedy = hint(key, path) + "known here: " + String.join(", ", known);
                binding.report().add(tree.place(), keyPath, "", "is not a key that Millrace knows", remedy);
            }
        });
    }

    private String hint(String key, String path) {
        if (key.equals("<<")) {
            return "write the keys out, as << is not read; ";
        }
        Optional<String> runInto =
                known.stream().filter(word -> shown(key).equals(word + "…")).findFirst();
        if (runInto.isPresent()) {
            return "write " + runInto.get() + ": and a space before the value; ";
        }
        return elsewhere(key, path)
                .or(() -> Nearest.of(key, known).map(near -> "did you mean " + near + "? "))
                .orElse("");
    }

    private Optional<String> elsewhere(String key, String path) {
        List<Section> sections = binding.layout().with(key);
        List<String> types = sections.stream()
                .filter(section -> section.isAt(path))
                .map(Section::type)
                .toList();
        if (!types.isEmpty()) {
            return Optional.of("it belongs to type " + OneOf.words(types) + "; ");
        }
        return sections.size() == 1
                ? Optional.of("move it to " + KeyPath.child(sections.get(0).path(), key) + "; ")
                : Optional.empty();
    }
}
