package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Moves the file of object {@code a} to {@code a/%%~}, safe against power cuts, when other keys need a folder
 * {@code a}.
 *
 * <p>Java can only delete the file and then rename a folder into its place. Therefore the folder, with a hard link to
 * the file in it, and a note with its target are made durable under temporary names first; the next start finishes a
 * conversion whose note it finds. The note has the bucket's name in its first line, and one name of the path to the
 * file in each further line.
 */
record FileToFolderConversion(BucketFolders buckets, TemporaryPaths temporaries) {
    private static final String NOTE = ".way";

    /**
     * A folder that is ready to replace a file.
     *
     * @param folder holds the file under its new name
     * @param note the file that names the target
     */
    record PreparedFolder(Path folder, Path note) {}

    /**
     * Prepares the folder that will replace {@code file}, which lies below {@code bucket}, the folder of the bucket
     * {@code name}.
     */
    PreparedFolder prepare(BucketName name, Path bucket, Path file) throws IOException {
        Path folder = temporaries.newPathFor(bucket);
        Files.createDirectory(folder);
        Files.createLink(folder.resolve(KeyComponentCodec.FOLDER_OBJECT), file);
        DurableFiles.syncFolder(folder);
        Path note = folder.resolveSibling(folder.getFileName() + NOTE);
        DurableFiles.writeNew(note, text(name, bucket, file));
        DurableFiles.syncFolder(Utf8FileNames.parentOf(note));
        return new PreparedFolder(folder, note);
    }

    /** Finishes the conversions that an earlier process began, as found in this folder of temporary files. */
    void finishInterrupted(Path folder) throws IOException {
        if (!DurableFolders.exists(folder)) {
            return;
        }
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(folder, "*" + NOTE)) {
            for (Path note : notes) {
                if (temporaries.isFromEarlierProcess(note)) {
                    finishConversion(note);
                }
            }
        }
    }

    private void finishConversion(Path note) throws IOException {
        String name = String.valueOf(note.getFileName());
        Path folder = note.resolveSibling(name.substring(0, name.length() - NOTE.length()));
        try {
            List<String> lines = Files.readAllLines(note, StandardCharsets.US_ASCII);
            // A note without its text was never synced, so the file has not been deleted yet.
            if (lines.size() > 1 && DurableFolders.exists(folder)) {
                putInPlace(lines, folder);
            }
        } catch (NoSuchFileException e) {
            if (Files.exists(note) && DurableFolders.exists(folder)) {
                throw e;
            }
            // Its process is alive and has finished it.
        }
        Files.deleteIfExists(note);
        DurableFolders.deleteTree(folder);
    }

    private void putInPlace(List<String> lines, Path folder) throws IOException {
        Path place;
        try {
            place = buckets.folder(new BucketName(TextFileEscaping.decode(lines.get(0))));
        } catch (BackendException e) {
            if (e.kind() != FailureKind.NO_SUCH_BUCKET) {
                throw e;
            }
            // The bucket was deleted with all its content.
            return;
        }
        for (String name : lines.subList(1, lines.size())) {
            place = Utf8FileNames.resolve(place, TextFileEscaping.decode(name));
        }
        if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            Files.move(folder, place, StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.syncFolder(Utf8FileNames.parentOf(place));
        }
    }

    private static String text(BucketName name, Path bucket, Path file) {
        StringBuilder text = new StringBuilder(TextFileEscaping.encode(name.value(), ' '));
        for (int i = bucket.getNameCount(); i < file.getNameCount(); i++) {
            Path step = file.getRoot().resolve(file.subpath(0, i + 1));
            text.append('\n')
                    .append(TextFileEscaping.encode(Utf8FileNames.nameOf(step).orElseThrow(), ' '));
        }
        return text.append('\n').toString();
    }
}
