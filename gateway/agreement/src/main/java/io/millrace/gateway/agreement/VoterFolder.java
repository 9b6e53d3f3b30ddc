package io.millrace.gateway.agreement;

import io.millrace.kit.file.DurableFiles;
import io.millrace.kit.file.PrivateFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder of a voter: Ratis's log and snapshots, and a file with the voter's state, which says how to start with
 * them. All methods but those that return a path block. For one thread.
 */
final class VoterFolder {
    private static final int LONGEST_STATE = 32;

    private final Path folder;
    private final String group;

    VoterFolder(AgreementPlace place) {
        this.folder = place.folder().toAbsolutePath();
        this.group = RatisSettings.group(place).getUuid().toString();
    }

    Path log() {
        return folder.resolve("log");
    }

    /** Where Ratis would put groups that it is told to remove, which it is not. */
    Path removed() {
        return folder.resolve("removed");
    }

    /** The log that could not be read, as it was. */
    Path damaged() {
        return folder.resolve("log.damaged");
    }

    private Path stateFile() {
        return folder.resolve("state");
    }

    VoterState state() throws IOException {
        try {
            if (Files.size(stateFile()) > LONGEST_STATE) {
                throw new IllegalArgumentException("too long");
            }
            return VoterState.valueOf(Files.readString(stateFile(), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException none) {
            return VoterState.EMPTY;
        } catch (IllegalArgumentException damaged) {
            throw new IOException(
                    ("%s is damaged, or of a later release. Run that one; or move %s away, and the voter is filled by"
                                    + " the others")
                            .formatted(stateFile(), folder),
                    damaged);
        }
    }

    /** Changes the state durably. */
    void become(VoterState state) throws IOException {
        PrivateFolder.create(folder);
        DurableFiles.replace(stateFile(), state.name().getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns whether there is a log, readable or not. */
    boolean hasLog() {
        return Files.isDirectory(log().resolve(group));
    }

    /** Makes room for a new log, and keeps the one that is there beside it, in place of one that was kept before. */
    void setLogAside() throws IOException {
        if (Files.exists(log())) {
            delete(damaged());
            Files.move(log(), damaged(), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    void deleteLog() throws IOException {
        delete(log());
    }

    private static void delete(Path tree) throws IOException {
        if (Files.notExists(tree)) {
            return;
        }
        List<Path> paths;
        try (Stream<Path> all = Files.walk(tree)) {
            paths = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
