package io.millrace.backend.file;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The metadata files: {@code .millrace/meta/<bucket>/<2 hex>/<62 hex>}, named by the SHA-256 of the key. So no key has a
 * say in their paths, and a folder of a data set that an operator renames has no folder here to rename. Touches the disk.
 */
final class MetadataStore {
    private final Path folder;

    /**
     * @param hidden the hidden folder, which need not be there
     */
    MetadataStore(Path hidden) {
        this.folder = hidden.resolve("meta");
    }

    /** Whether any object of the bucket may have metadata; lets a listing spare itself a look for each of its objects. */
    boolean knows(BucketName bucket) throws IOException {
        return Folders.isThere(folder.resolve(bucket.value()));
    }

    /** What was stored beside the content that lies there now; empty if it was put there by hand, or changed since. */
    Optional<StoredContent> find(ObjectRef object, FileStat file) throws IOException {
        return contents(object).stream()
                .filter(content -> content.describes(file))
                .findFirst();
    }

    /**
     * Writes down what the next content of the key will be; {@code current}, if something is there, stays described. On the
     * disk when this returns.
     *
     * @param temporary a name for a file that is not finished
     */
    void announce(ObjectRef object, StoredContent next, Optional<FileStat> current, Path temporary) throws IOException {
        List<StoredContent> contents = new ArrayList<>();
        contents.add(next);
        if (current.isPresent()) {
            find(object, current.get()).ifPresent(contents::add);
        }
        Path file = file(object);
        Folders.make(FileNames.folderOf(file));
        try {
            Folders.writeText(temporary, MetadataText.write(object.key(), contents));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Temporaries.discard(temporary);
        }
        Folders.force(FileNames.folderOf(file));
    }

    void forget(ObjectRef object) throws IOException {
        Files.deleteIfExists(file(object));
    }

    /** Where a bucket's are. */
    Path folder(BucketName bucket) {
        return folder.resolve(bucket.value());
    }

    private List<StoredContent> contents(ObjectRef object) throws IOException {
        try {
            byte[] text = Files.readAllBytes(file(object));
            return MetadataText.read(new String(text, StandardCharsets.UTF_8), object.key());
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private Path file(ObjectRef object) {
        String hash = HexFormat.of().formatHex(sha256(object.key()));
        return folder(object.bucket()).resolve(hash.substring(0, 2)).resolve(hash.substring(2));
    }

    private static byte[] sha256(ObjectKey key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.utf8());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
