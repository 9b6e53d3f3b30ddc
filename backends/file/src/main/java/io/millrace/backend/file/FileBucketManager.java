package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.kit.file.DurableFiles;
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

/** Creates bucket folders and deletes empty ones. Blocks on the disk. */
record FileBucketManager(
        Path root, BucketFolders buckets, MetadataFileStore metadata, TemporaryPaths temporaries, WriteLocks locks) {
    void create(NewBucket bucket) throws IOException {
        WriteHeaderPolicy.storable("file", bucket.headers());
        if (!bucket.tags().isEmpty()) {
            throw new BackendException(FailureKind.UNSUPPORTED, "folders have no tags");
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
        DurableFiles.syncFolder(root);
    }

    /**
     * Deletes a bucket without files, with its uploads and metadata. Empty folders do not count; a file that is no
     * object, put there by hand, keeps the bucket. If the bucket is a link, only the link is deleted.
     */
    void delete(BucketName name) throws IOException {
        List<Path> rest = locks.withExclusiveBucketLock(() -> locks.withTreeLock(() -> {
            Path folder = buckets.folder(name);
            checkEmpty(name, folder);
            Path place = root.resolve(name.value());
            if (Files.isSymbolicLink(place)) {
                Files.delete(place);
            } else {
                deleteFolders(name, folder);
            }
            DurableFiles.syncFolder(root);
            return moveToTemporary(metadata.folder(name), UploadStore.folder(buckets.hiddenFolder(), name));
        }));
        rest.forEach(TemporaryPaths::discard);
    }

    private static void checkEmpty(BucketName name, Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                throw notEmpty("bucket %s holds %s".formatted(name, file));
            }
        });
    }

    /** Deletes folders only: a file that was put there by hand in this moment stays. */
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

    private List<Path> moveToTemporary(Path... folders) throws IOException {
        List<Path> moved = new ArrayList<>();
        for (Path folder : folders) {
            if (DurableFolders.exists(folder)) {
                moved.add(Files.move(folder, temporaries.newPath(), StandardCopyOption.ATOMIC_MOVE));
            }
        }
        return moved;
    }

    private static BackendException notEmpty(String message) {
        return conflict("BucketNotEmpty", "The bucket you tried to delete is not empty.", message);
    }

    private static BackendException conflict(String code, String words, String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message).withS3Error(new S3Error(409, code, words));
    }
}
