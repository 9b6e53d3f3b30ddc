package io.millrace.config.binding;

import io.millrace.config.Secret;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.SettingPath;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Binds a secret of the settings from one of two keys: {@code secret-key} has it inline, {@code secret-key-file} names
 * a file with it.
 */
final class InlineOrFileSecret {
    private static final ScalarSchema INLINE = new ScalarSchema(BuiltInValueTypes.SECRET);

    private InlineOrFileSecret() {}

    /** Returns the key that names the file. */
    static String fileKey(String key) {
        return key + "-file";
    }

    /** Binds the secret from the key that is in {@code mapping}; null after a problem was reported. */
    static @Nullable Object bind(String key, SettingsNode.Mapping mapping, String parent, BindingContext binding) {
        @Nullable SettingsNode inline = mapping.entries().get(key);
        @Nullable SettingsNode file = mapping.entries().get(fileKey(key));
        String path = SettingPath.child(parent, fileKey(key));
        @Nullable Object secret;
        if (file == null) {
            secret = inline == null ? null : INLINE.bind(inline, SettingPath.child(parent, key), binding);
        } else if (inline == null) {
            secret = fromFile(file, path, binding);
        } else {
            secret = null;
            binding.report().add(file.place(), path, "", "is given as well as " + key, "keep one of the two");
        }
        if (secret == null) {
            // Rules across keys look a missing secret up by this name, whichever key was written.
            binding.report().markReported(SettingPath.child(parent, key));
        }
        return secret;
    }

    private static @Nullable Secret fromFile(SettingsNode tree, String path, BindingContext binding) {
        @Nullable Object file = new ScalarSchema(PathParser.TYPE).bind(tree, path, binding);
        if (file == null) {
            return null;
        }
        try {
            Secret secret = SecretFile.read((Path) file);
            binding.report().redactSecret(secret);
            return secret;
        } catch (InvalidValueException e) {
            binding.report().addAt(path, e);
            return null;
        }
    }
}
