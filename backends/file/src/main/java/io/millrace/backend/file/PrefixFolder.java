package io.millrace.backend.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A folder in a bucket's directory tree and the prefix that the keys of all files below it share. The inverse of
 * {@link ObjectKeyPath}.
 *
 * @param prefix the complete components of those keys, each with its slash
 * @param partialComponent the beginning of the next component that the folder names hold, if that component is too long
 *     for one name
 * @param chunkNames the names that hold that beginning
 */
record PrefixFolder(Path path, String prefix, String partialComponent, List<String> chunkNames) {
    /** Returns a folder whose name ends a component. */
    static PrefixFolder of(Path path, String prefix) {
        return new PrefixFolder(path, prefix, "", List.of());
    }

    /**
     * An entry of a folder. {@code text} is the prefix of all keys that it can hold, and the key itself if it is a
     * file; {@code chunk} is the folder if its name holds the beginning of a long component.
     */
    record FolderEntry(String keyPrefix, Path path, Optional<PrefixFolder> chunkFolder) {}

    /** Returns the prefix of all keys below this folder. */
    String keyPrefix() {
        return prefix + partialComponent;
    }

    /** Decodes an entry of this folder; empty if no key has such a name. */
    Optional<FolderEntry> decode(Path entry) {
        Optional<String> name = Utf8FileNames.nameOf(entry);
        return name.isPresent() ? decode(entry, name.get()) : Optional.empty();
    }

    private Optional<FolderEntry> decode(Path entry, String name) {
        if (chunkNames.isEmpty() && KeyComponentCodec.isLiteral(name)) {
            return Optional.of(new FolderEntry(prefix + name, entry, Optional.empty()));
        }
        Optional<String> piece = KeyComponentCodec.decode(name);
        if (piece.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = new ArrayList<>(chunkNames);
        names.add(name);
        String component = partialComponent + piece.get();
        if (KeyComponentCodec.isChunk(name)) {
            PrefixFolder chunk = new PrefixFolder(entry, prefix, component, List.copyOf(names));
            return Optional.of(new FolderEntry(chunk.keyPrefix(), entry, Optional.of(chunk)));
        }
        boolean ours = KeyComponentCodec.encode(component).equals(names);
        return ours ? Optional.of(new FolderEntry(prefix + component, entry, Optional.empty())) : Optional.empty();
    }
}
