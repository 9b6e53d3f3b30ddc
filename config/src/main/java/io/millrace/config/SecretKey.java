package io.millrace.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The two keys of one secret: {@code secret-key} has it inline, {@code secret-key-file} names a file that has it. */
final class SecretKey {
    private static final SecretShape INLINE = new SecretShape();

    private SecretKey() {}

    /** The key that names the file. */
    static String fileKey(String key) {
        return key + "-file";
    }

    /** The secret out of whichever key is in {@code mapping}; null after a problem was reported. */
    static @Nullable Object bind(String key, Tree.Mapping mapping, String parent, Binding binding) {
        @Nullable Tree inline = mapping.entries().get(key);
        @Nullable Tree file = mapping.entries().get(fileKey(key));
        String path = KeyPath.child(parent, fileKey(key));
        @Nullable Object secret;
        if (file == null) {
            secret = inline == null ? null : INLINE.bind(inline, KeyPath.child(parent, key), binding);
        } else if (inline == null) {
            secret = fromFile(file, path, binding);
        } else {
            secret = null;
            binding.report().add(file.place(), path, "", "is given as well as " + key, "keep one of the two");
        }
        if (secret == null) {
            // A rule that misses the secret asks for it by this name, whichever key was written.
            binding.report().markReported(KeyPath.child(parent, key));
        }
        return secret;
    }

    private static @Nullable Secret fromFile(Tree tree, String path, Binding binding) {
        @Nullable Object file = PathText.SHAPE.bind(tree, path, binding);
        if (file == null) {
            return null;
        }
        try {
            Secret secret = SecretFile.read((Path) file);
            binding.report().conceal(secret);
            return secret;
        } catch (Unfit e) {
            binding.report().addAt(path, e);
            return null;
        }
    }
}
