package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.BucketWriter.NewBucket;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes buckets and deletes empty ones. Blocks on the disk. */
final class BucketChanges {
    private final Path root;
    private final BucketFolders buckets;
    private final MetadataStore metadata;
    private final Temporaries temporaries;
    private final WriteLocks locks;

    BucketChanges(Path root, BucketFolders buckets, MetadataStore metadata, Temporaries temporaries, WriteLocks locks) {
        this.root = root;
        this.buckets = buckets;
        this.metadata = metadata;
        this.temporaries = temporaries;
        this.locks = locks;
    }

    void create(NewBucket bucket) throws IOException {
        StoredFields.of(bucket.headers());
        if (!bucket.tags().isEmpty()) {
            throw new BackendException(Kind.UNSUPPORTED, "folders have no tags");
        }
        BucketName name = bucket.name();
        try {
            Files.createDirectory(root.resolve(name.value()));
        } catch (FileAlreadyExistsException e) {
            boolean isOurs = buckets.find(name).isPresent();
            throw conflict(
                    isOurs ? "BucketAlreadyOwnedByYou" : "BucketAlreadyExists",
                    isOurs
                            ? "Your previous request to create the named bucket succeeded and you already own it."
                            : "The requested bucket name is not available.",
                    root.resolve(name.value()) + " is there");
        }
        Folders.force(root);
    }

    /**
     * Deletes a bucket without files, and its uploads. Empty folders are nothing; files that are no objects, which only a hand
     * can have put there, keep it. Of a bucket that is a link the link goes.
     */
    void delete(BucketName name) throws IOException {
        List<Path> rest = locks.alone(() -> locks.onTree(() -> {
            Path folder = buckets.folder(name);
            checkEmpty(name, folder);
            Path place = root.resolve(name.value());
            if (Files.isSymbolicLink(place)) {
                Files.delete(place);
            } else {
                deleteFolders(name, folder);
            }
            Folders.force(root);
            return setAside(metadata.folder(name), Uploads.folder(buckets.hidden(), name));
        }));
        rest.forEach(Temporaries::discard);
    }

    private static void checkEmpty(BucketName name, Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                throw notEmpty("bucket %s holds %s".formatted(name, file));
            }
        });
    }

    /** Deletes folders only: a file that a hand has put there in this moment stays. */
    private static void deleteFolders(BucketName name, Path folder) throws IOException {
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                        throws IOException {
                    Files.delete(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (DirectoryNotEmptyException e) {
            throw notEmpty("bucket %s holds something in %s".formatted(name, e.getFile()));
        }
    }

    private List<Path> setAside(Path... folders) throws IOException {
        List<Path> moved = new ArrayList<>();
        for (Path folder : folders) {
            if (Folders.isThere(folder)) {
                moved.add(Files.move(folder, temporaries.next(), StandardCopyOption.ATOMIC_MOVE));
            }
        }
        return moved;
    }

    private static BackendException notEmpty(String message) {
        return conflict("BucketNotEmpty", "The bucket you tried to delete is not empty.", message);
    }

    private static BackendException conflict(String code, String words, String message) {
        return new BackendException(Kind.INVALID_REQUEST, message).inWords(new Words(409, code, words));
    }
}
