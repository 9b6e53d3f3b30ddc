package io.millrace.config.binding;

import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.SubstitutedText;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schema of a single value in the settings, such as a number or a path, or of a mapping that stands for one.
 *
 * @param type its name, and how it is parsed
 */
record ScalarSchema(ValueType type) implements SettingSchema {
    /** Keys that name a file whose content is a secret, and which other programs may write for a group. */
    private static final Pattern PRIVATE_FILE = Pattern.compile("(^|\\.)(private-key|credentials-file)$");

    /** Whether the value is a secret. {@link InlineOrFileSecret} handles a secret in a file of its own. */
    boolean isSecret() {
        return type.equals(BuiltInValueTypes.SECRET);
    }

    @Override
    public String typeName() {
        return type.name();
    }

    @Override
    public @Nullable Object bind(SettingsNode tree, String path, BindingContext binding) {
        if (type.isMapping() && tree instanceof SettingsNode.Mapping mapping) {
            binding.report().remember(path, mapping.place());
            return parse(SubstitutedText.plain(new MappingJson(binding).write(mapping, path)), path, binding);
        }
        if (!(tree instanceof SettingsNode.Scalar scalar) || scalar.blank()) {
            return SettingSchema.reportMismatch(tree, path, binding, "a single value", type.remedy());
        }
        Optional<SubstitutedText> text = binding.text(scalar, path, isSecret());
        if (isSecret() && text.filter(written -> written.variables().isEmpty()).isPresent()) {
            binding.report().rememberLiteralSecret(scalar.place().source(), path);
        }
        return text.isEmpty() ? null : parse(text.get(), path, binding);
    }

    private @Nullable Object parse(SubstitutedText text, String path, BindingContext binding) {
        try {
            Object value = type.parser().parse(text.value(), binding.folder());
            if (value instanceof Secret secret) {
                binding.report().redactSecret(secret);
            } else if (value instanceof Path file
                    && PRIVATE_FILE.matcher(path).find()
                    && SecretFile.isReadableByEverybody(file)) {
                binding.report().warnAt(path, "can be read by every user of this machine", "chmod 600 " + file);
            }
            return value;
        } catch (InvalidValueException e) {
            binding.report().addAt(path, e);
            return null;
        }
    }

    @Override
    public boolean isScalar() {
        return true;
    }

    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        return rest.isEmpty() ? Stream.of(here) : Stream.empty();
    }
}
