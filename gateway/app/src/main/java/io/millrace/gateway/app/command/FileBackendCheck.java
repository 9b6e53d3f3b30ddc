package io.millrace.gateway.app.command;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The check of a backend of folders: whether its folder and those of its buckets exist, can be read and, where clients
 * may write, written. Leaves nothing there.
 */
final class FileBackendCheck {
    private final String backend;
    private final Path root;
    private final ClientBucketNames names;
    private final Predicate<BucketName> isWritten;

    /**
     * @param isWritten whether anybody may write to the bucket of this name for clients
     */
    FileBackendCheck(String backend, Path path, ClientBucketNames names, Predicate<BucketName> isWritten) {
        this.backend = backend;
        this.root = path.toAbsolutePath().normalize();
        this.names = names;
        this.isWritten = isWritten;
    }

    /** Checks the folder, then those of the buckets that the settings name. */
    void run(Consumer<Diagnosis> report) {
        String subject = "backend " + backend;
        if (Files.notExists(root)) {
            report.accept(Diagnosis.warning(
                    subject,
                    "%s does not exist: a start makes it, empty and writable".formatted(root),
                    "mount its disk, or correct its path, unless that is meant"));
        } else if (!isReadable(root)) {
            report.accept(unreadable(subject, root));
            return;
        } else {
            report.accept(checkWritable(subject));
        }
        names.on(backend).forEach(bucket -> checkBucket(bucket).ifPresent(report));
    }

    private Diagnosis checkWritable(String subject) {
        try {
            // Permissions do not show every file system that takes no files. No bucket's name begins with a dot.
            FolderCheck.openProbeFile(root).close();
            return Diagnosis.ok(subject, "%s can be read and written".formatted(root));
        } catch (IOException e) {
            return isAnyWritten()
                    ? unwritable(subject, root, FileFailureText.of(e))
                    : Diagnosis.ok(subject, "%s can be read, and nobody may write there".formatted(root));
        }
    }

    private Optional<Diagnosis> checkBucket(BucketName bucket) {
        List<String> shown = names.inSettings(backend, bucket);
        String subject = "bucket " + String.join(", ", shown);
        Path folder = root.resolve(bucket.value());
        if (!Files.isDirectory(folder)) {
            return Optional.of(Diagnosis.problem(
                    subject,
                    "missing: there is no folder %s".formatted(folder),
                    "create it, or correct its name in the entry below buckets of the file"));
        }
        if (!isReadable(folder)) {
            return Optional.of(unreadable(subject, folder));
        }
        boolean isMeantToBeWritten = shown.stream().map(BucketName::new).anyMatch(isWritten);
        return isMeantToBeWritten && Files.isWritable(root) && !Files.isWritable(folder)
                ? Optional.of(unwritable(subject, folder, "this user has no permission"))
                : Optional.empty();
    }

    /** Returns whether anybody may write to a bucket that the settings name, or to one that a pattern shows. */
    private boolean isAnyWritten() {
        boolean isNamedOneWritten = names.on(backend).stream()
                .flatMap(bucket -> names.inSettings(backend, bucket).stream())
                .map(BucketName::new)
                .anyMatch(isWritten);
        if (isNamedOneWritten) {
            return true;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, Files::isDirectory)) {
            for (Path folder : folders) {
                String name = Objects.requireNonNull(folder.getFileName()).toString();
                if (BucketName.isValid(name) && isWrittenByPattern(new BucketName(name))) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    /** No client reaches a folder that no entry shows, whatever the rights. */
    private boolean isWrittenByPattern(BucketName folder) {
        return names.isOfPattern(backend, folder) && isWritten.test(folder);
    }

    private static boolean isReadable(Path folder) {
        return Files.isDirectory(folder) && Files.isReadable(folder) && Files.isExecutable(folder);
    }

    private static Diagnosis unreadable(String subject, Path folder) {
        return Diagnosis.problem(
                subject,
                "%s cannot be read, or is no folder".formatted(folder),
                "give the user that runs Millrace at least r-x permission there");
    }

    private static Diagnosis unwritable(String subject, Path folder, String reason) {
        return Diagnosis.warning(
                subject,
                "%s can be read, but not written (%s), and clients may write there".formatted(folder, reason),
                "make it writable for the user that runs Millrace, or take the right to write from the identities");
    }
}
