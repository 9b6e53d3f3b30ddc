package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
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
 * The folders below the root that are buckets. A bucket's folder may be a symbolic link: so an operator serves a data set
 * from where it lies. Touches the disk.
 */
final class BucketFolders {
    /** The folder at the root that is ours; its name is no bucket's. */
    static final String HIDDEN = ".millrace";

    private final Path root;

    BucketFolders(Path root) {
        this.root = root;
    }

    /** The hidden folder, which need not be there. */
    Path hidden() {
        return root.resolve(HIDDEN);
    }

    /**
     * Where the bucket really lies: a path without links.
     *
     * @throws BackendException of kind {@link Kind#NO_SUCH_BUCKET} if there is none
     */
    Path folder(BucketName name) throws IOException {
        return find(name)
                .orElseThrow(() -> new BackendException(
                        Kind.NO_SUCH_BUCKET, "no folder %s in %s that can be a bucket".formatted(name, root)));
    }

    BucketInfo info(BucketName name) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(folder(name), BasicFileAttributes.class);
        return new BucketInfo(name, Optional.of(attributes.creationTime().toInstant()));
    }

    /** All of them, by name. Folders whose names no bucket can have are left out. */
    List<BucketInfo> all() throws IOException {
        List<BucketInfo> buckets = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            for (Path entry : entries) {
                Optional<BucketName> name =
                        FileNames.of(entry).filter(BucketName::isValid).map(BucketName::new);
                if (name.isPresent() && find(name.get()).isPresent()) {
                    buckets.add(info(name.get()));
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        } catch (NoSuchFileException e) {
            throw rootIsGone();
        }
        buckets.sort(Comparator.comparing(BucketInfo::name));
        return buckets;
    }

    /** The same, or empty. */
    Optional<Path> find(BucketName name) throws IOException {
        try {
            Path folder = root.resolve(name.value()).toRealPath();
            return Folders.isThere(folder) && isApart(folder) ? Optional.of(folder) : Optional.empty();
        } catch (NoSuchFileException e) {
            if (!Files.isDirectory(root)) {
                throw rootIsGone();
            }
            return Optional.empty();
        }
    }

    /** A link to the root, or to what it lies in, would show metadata and other buckets as objects. */
    private boolean isApart(Path folder) throws IOException {
        Path ours = root.toRealPath().resolve(HIDDEN);
        return !ours.startsWith(folder) && !folder.startsWith(ours);
    }

    private BackendException rootIsGone() {
        return new BackendException(Kind.UNAVAILABLE, "the folder %s is gone: is its disk mounted?".formatted(root));
    }
}
