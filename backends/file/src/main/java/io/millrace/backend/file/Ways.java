package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * How a file {@code a} becomes the file {@code a/%%~} so that no power cut loses it. Java can only delete the file and then
 * rename a folder into its place. So that folder, with a second link to the file in it, is made for good under a temporary
 * name, and beside it a note of where it belongs; whoever finds such a note at the start ends what was begun.
 *
 * <p>The note has the bucket's name in its first line, and one name on the way to the file in each other.
 */
final class Ways {
    private static final String NOTE = ".way";

    private final BucketFolders buckets;
    private final Temporaries temporaries;

    /**
     * @param folder holds the file, under its new name
     * @param note where it belongs
     */
    record Way(Path folder, Path note) {}

    Ways(BucketFolders buckets, Temporaries temporaries) {
        this.buckets = buckets;
        this.temporaries = temporaries;
    }

    /** Makes the folder that is to take the place of {@code file}, which lies below {@code bucket}, the folder of that name. */
    Way prepare(BucketName name, Path bucket, Path file) throws IOException {
        Path folder = temporaries.nextFor(bucket);
        Files.createDirectory(folder);
        Files.createLink(folder.resolve(Component.SELF), file);
        Folders.force(folder);
        Path note = folder.resolveSibling(folder.getFileName() + NOTE);
        Folders.writeText(note, text(name, bucket, file));
        Folders.force(FileNames.folderOf(note));
        return new Way(folder, note);
    }

    /** Ends what a process before this one began, in this folder of temporary files. */
    void finish(Path folder) throws IOException {
        if (!Folders.isThere(folder)) {
            return;
        }
        try (DirectoryStream<Path> notes = Files.newDirectoryStream(folder, "*" + NOTE)) {
            for (Path note : notes) {
                if (temporaries.isLeftOver(note)) {
                    finishOne(note);
                }
            }
        }
    }

    private void finishOne(Path note) throws IOException {
        String name = String.valueOf(note.getFileName());
        Path folder = note.resolveSibling(name.substring(0, name.length() - NOTE.length()));
        List<String> lines = Files.readAllLines(note, StandardCharsets.US_ASCII);
        // A note without its text was never forced, and then nothing has been deleted yet.
        if (lines.size() > 1 && Folders.isThere(folder)) {
            putInPlace(lines, folder);
        }
        Files.deleteIfExists(note);
        Folders.deleteTree(folder);
    }

    private void putInPlace(List<String> lines, Path folder) throws IOException {
        Path place;
        try {
            place = buckets.folder(new BucketName(PercentText.decode(lines.get(0))));
        } catch (BackendException e) {
            if (e.kind() != Kind.NO_SUCH_BUCKET) {
                throw e;
            }
            // The bucket is gone, and all that was in it.
            return;
        }
        for (String name : lines.subList(1, lines.size())) {
            place = FileNames.child(place, PercentText.decode(name));
        }
        if (!Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            Files.move(folder, place, StandardCopyOption.ATOMIC_MOVE);
            Folders.force(FileNames.folderOf(place));
        }
    }

    private static String text(BucketName name, Path bucket, Path file) {
        StringBuilder text = new StringBuilder(PercentText.encode(name.value(), ' '));
        for (int i = bucket.getNameCount(); i < file.getNameCount(); i++) {
            Path step = file.getRoot().resolve(file.subpath(0, i + 1));
            text.append('\n').append(PercentText.encode(FileNames.of(step).orElseThrow(), ' '));
        }
        return text.append('\n').toString();
    }
}
