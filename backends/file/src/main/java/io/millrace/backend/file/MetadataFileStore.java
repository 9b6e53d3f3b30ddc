package io.millrace.backend.file;

import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Stores object metadata in files {@code .millrace/meta/<bucket>/<2 hex>/<62 hex>}, named by the SHA-256 of the key. So
 * their paths do not depend on the spelling of a key, and an operator who renames a folder of a data set has no
 * metadata folder to rename. Touches the disk.
 */
final class MetadataFileStore {
    private final Path folder;

    /**
     * @param hidden the hidden folder, which may not exist yet
     */
    MetadataFileStore(Path hidden) {
        this.folder = hidden.resolve("meta");
    }

    /** Returns whether objects of the bucket may have metadata; lets a listing skip the lookup for each object. */
    boolean hasBucket(BucketName bucket) throws IOException {
        return DurableFolders.exists(folder.resolve(bucket.value()));
    }

    /** Returns the metadata of the file's content; empty if the file was put there or changed by hand. */
    Optional<StoredContentMetadata> find(ObjectRef object, FileStat file) throws IOException {
        return contents(object).stream()
                .filter(content -> content.describes(file))
                .findFirst();
    }

    /**
     * Writes the metadata of the next content of the key and keeps that of {@code current}. It is on the disk when this
     * returns.
     *
     * @param temporary path for an unfinished file
     */
    void writeNext(ObjectRef object, StoredContentMetadata next, Optional<FileStat> current, Path temporary)
            throws IOException {
        List<StoredContentMetadata> contents = new ArrayList<>();
        contents.add(next);
        if (current.isPresent()) {
            find(object, current.get()).ifPresent(contents::add);
        }
        Path file = file(object);
        DurableFolders.create(Utf8FileNames.parentOf(file));
        try {
            DurableFiles.writeNew(temporary, MetadataFileFormat.write(object.key(), contents));
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            TemporaryPaths.discard(temporary);
        }
        DurableFiles.syncFolder(Utf8FileNames.parentOf(file));
    }

    void delete(ObjectRef object) throws IOException {
        Files.deleteIfExists(file(object));
    }

    /** Returns the folder of a bucket's metadata. */
    Path folder(BucketName bucket) {
        return folder.resolve(bucket.value());
    }

    private List<StoredContentMetadata> contents(ObjectRef object) throws IOException {
        try {
            byte[] text = Files.readAllBytes(file(object));
            return MetadataFileFormat.read(new String(text, StandardCharsets.UTF_8), object.key());
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private Path file(ObjectRef object) {
        String hash = HexFormat.of().formatHex(HashDigest.sha256(object.key().utf8()));
        return folder(object.bucket()).resolve(hash.substring(0, 2)).resolve(hash.substring(2));
    }
}
