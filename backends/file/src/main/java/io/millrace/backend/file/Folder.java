package io.millrace.backend.file;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A folder of a bucket, and what the keys of the files below it begin with.
 *
 * @param prefix the finished components of those keys, each with its slash
 * @param begun the piece of the next component that the folder's own name holds, if that component is too long for one name
 * @param chunks the names that hold that piece
 */
record Folder(Path path, String prefix, String begun, List<String> chunks) {
    /** One that ends a component. */
    static Folder of(Path path, String prefix) {
        return new Folder(path, prefix, "", List.of());
    }

    /** Something in a folder. {@code text} begins the keys of all that it can hold, and is the key if it is a file. */
    record Child(String text, Path path, Optional<Folder> chunk) {}

    /** What all keys below begin with. */
    String text() {
        return prefix + begun;
    }

    /** What {@code entry} of this folder may hold; empty if its name is one that no key has. */
    Optional<Child> child(Path entry) {
        Optional<String> name = FileNames.of(entry);
        return name.isPresent() ? child(entry, name.get()) : Optional.empty();
    }

    private Optional<Child> child(Path entry, String name) {
        if (chunks.isEmpty() && Component.isPlain(name)) {
            return Optional.of(new Child(prefix + name, entry, Optional.empty()));
        }
        Optional<String> piece = Component.text(name);
        if (piece.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = new ArrayList<>(chunks);
        names.add(name);
        String component = begun + piece.get();
        if (Component.isChunk(name)) {
            Folder chunk = new Folder(entry, prefix, component, List.copyOf(names));
            return Optional.of(new Child(chunk.text(), entry, Optional.of(chunk)));
        }
        boolean ours = Component.names(component).equals(names);
        return ours ? Optional.of(new Child(prefix + component, entry, Optional.empty())) : Optional.empty();
    }
}
