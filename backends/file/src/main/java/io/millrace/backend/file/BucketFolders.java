package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds the folders below the root that are buckets. A bucket's folder may be a symbolic link, by which an operator
 * serves a data set from where it is. Touches the disk.
 */
record BucketFolders(Path root) {
    /** Name of the gateway's own folder in the root; no bucket can have it. */
    static final String HIDDEN_FOLDER = ".millrace";

    /** Returns the gateway's own folder, which may not exist yet. */
    Path hiddenFolder() {
        return root.resolve(HIDDEN_FOLDER);
    }

    /**
     * Returns the real path of the bucket's folder, without links.
     *
     * @throws BackendException of kind {@link FailureKind#NO_SUCH_BUCKET} if there is none
     */
    Path folder(BucketName name) throws IOException {
        return find(name)
                .orElseThrow(() -> new BackendException(
                        FailureKind.NO_SUCH_BUCKET,
                        "bucket %s does not exist: %s has no such folder that can be a bucket".formatted(name, root)));
    }

    BucketInfo info(BucketName name) throws IOException {
        return info(name, folder(name));
    }

    /** Returns all buckets by name, without folders whose names no bucket can have. */
    List<BucketInfo> list() throws IOException {
        List<BucketInfo> buckets = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            for (Path entry : entries) {
                Optional<BucketName> name =
                        Utf8FileNames.nameOf(entry).filter(BucketName::isValid).map(BucketName::new);
                if (name.isPresent()) {
                    existing(name.get()).ifPresent(buckets::add);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (NoSuchFileException e) {
            throw rootIsMissing();
        }
        buckets.sort(Comparator.comparing(BucketInfo::name));
        return buckets;
    }

    /** Returns a bucket; empty if there is none, or if it is deleted at this moment. */
    private Optional<BucketInfo> existing(BucketName name) throws IOException {
        Optional<Path> folder = find(name);
        try {
            return folder.isPresent() ? Optional.of(info(name, folder.get())) : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static BucketInfo info(BucketName name, Path folder) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(folder, BasicFileAttributes.class);
        return new BucketInfo(name, Optional.of(attributes.creationTime().toInstant()));
    }

    /** Returns the real path of the bucket's folder; empty if there is none. */
    Optional<Path> find(BucketName name) throws IOException {
        try {
            Path folder = root.resolve(name.value()).toRealPath();
            return DurableFolders.exists(folder) && isOutsideHiddenFolder(folder)
                    ? Optional.of(folder)
                    : Optional.empty();
        } catch (NoSuchFileException e) {
            if (!Files.isDirectory(root)) {
                throw rootIsMissing();
            }
            return Optional.empty();
        }
    }

    /**
     * Returns whether the folder neither holds nor lies in the hidden folder: a link to the root or above would show
     * metadata and other buckets as objects.
     */
    private boolean isOutsideHiddenFolder(Path folder) throws IOException {
        Path ours = root.toRealPath().resolve(HIDDEN_FOLDER);
        return !ours.startsWith(folder) && !folder.startsWith(ours);
    }

    private BackendException rootIsMissing() {
        return new BackendException(
                FailureKind.UNAVAILABLE, "the folder %s is gone: is its disk mounted?".formatted(root));
    }
}
