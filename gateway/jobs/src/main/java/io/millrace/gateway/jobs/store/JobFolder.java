package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.plan.DeletionBudget;
import io.millrace.kit.file.PrivateFile;
import io.millrace.kit.file.PrivateFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stores one job in a folder of its own. Every write survives a kill of the process; a checkpoint also survives a power
 * cut, after which the job repeats what it did since. Every method may block on the disk. Used by one thread at a time.
 *
 * <pre>
 *   job.json          StoredJob: request and state; replaced whole
 *   checkpoint.json   JobCheckpoint: position and progress; replaced whole
 *   journal-N         a JournalEntry a line: objects that ended after checkpoint N
 *   failures          an ObjectFailure a line; the last one of an object counts
 *   upload-HASH       a pending upload, see PendingUploadStore; may outlive all other files
 *   pack-...          the arrangement of the shards of a pack; until the job is over
 * </pre>
 */
public final class JobFolder implements AutoCloseable {
    /** The most failures that are stored by name; more are only counted. */
    public static final int MOST_FAILURES = 100_000;

    /** The beginning of the names of files that only the runs of a job need. */
    public static final String ARRANGEMENT = "pack-";

    /** The most bytes of stored failures, which are read at once. */
    static final long MOST_FAILURE_BYTES = 16 << 20;

    /** Numbers that an earlier version did not write are 0. */
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private static final String JOB = "job.json";
    private static final String CHECKPOINT = "checkpoint.json";
    private static final String JOURNAL = "journal-";
    private static final String FAILURES = "failures";

    private final Path folder;
    private @Nullable FileChannel journal;
    private @Nullable FileChannel failures;
    private int number;

    private JobFolder(Path folder) {
        this.folder = folder;
    }

    /** Creates the folder of a new job. */
    public static JobFolder create(Path jobs, StoredJob job) throws IOException {
        Path folder = jobs.resolve(job.id());
        PrivateFolder.create(folder);
        JobFolder made = new JobFolder(folder);
        made.write(job);
        return made;
    }

    /** Returns the folders of all jobs in the order of submission. */
    public static List<JobFolder> all(Path jobs) throws IOException {
        try (Stream<Path> folders = Files.list(jobs)) {
            return folders.filter(folder -> Files.exists(folder.resolve(JOB)))
                    .sorted(Comparator.comparing(Path::getFileName))
                    .map(JobFolder::new)
                    .toList();
        }
    }

    /** Returns the folders of deleted jobs that still have pending uploads. */
    public static List<JobFolder> gone(Path jobs) throws IOException {
        try (Stream<Path> folders = Files.list(jobs)) {
            return folders.filter(folder ->
                            JobIdGenerator.isId(folder.getFileName().toString()) && !Files.exists(folder.resolve(JOB)))
                    .filter(Files::isDirectory)
                    .map(JobFolder::new)
                    .toList();
        }
    }

    public Path path() {
        return folder;
    }

    /** Reads the request and the state. */
    public StoredJob read() throws IOException {
        StoredJob job = read(folder.resolve(JOB), StoredJob.class);
        if (job.format() > StoredJob.FORMAT) {
            throw new IOException("%s was written by a newer Millrace: start that one, or move the folder away"
                    .formatted(folder.resolve(JOB)));
        }
        return job;
    }

    public void write(StoredJob job) throws IOException {
        PrivateFile.write(folder.resolve(JOB), List.of(JSON.writeValueAsString(job)));
    }

    /** Reads the checkpoint and its journal, and continues that journal. */
    public JobCheckpoint restore() throws IOException {
        Path file = folder.resolve(CHECKPOINT);
        JobCheckpoint checkpoint = Files.exists(file) ? read(file, JobCheckpoint.class) : JobCheckpoint.NONE;
        number = checkpoint.journal();
        List<String> beyond = new ArrayList<>(checkpoint.beyond());
        JobProgress progress = checkpoint.progress();
        UnfinishedProgress unfinished = checkpoint.left();
        @Nullable DeletionBudget deletions = checkpoint.deletions();
        for (JournalEntry line : lines(folder.resolve(JOURNAL + number), JournalEntry.class)) {
            beyond.add(line.key());
            progress = progress.plus(line.ended());
            unfinished = unfinished.without(line.ended());
            deletions = deletions != null && line.deleted() ? deletions.afterDeletion() : deletions;
        }
        return new JobCheckpoint(number, checkpoint.position(), beyond, progress, unfinished, deletions);
    }

    /**
     * Returns how long the run worked that a kill has ended: it began with a write of the job's file, and the last
     * thing that it stored is a checkpoint or a line of the journal. Call it after {@link #restore}.
     */
    public Duration lastRun() throws IOException {
        Instant began = written(JOB);
        Instant checkpoint = written(CHECKPOINT);
        Instant line = written(JOURNAL + number);
        Duration worked = Duration.between(began, checkpoint.isAfter(line) ? checkpoint : line);
        return worked.isNegative() ? Duration.ZERO : worked;
    }

    private Instant written(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.getLastModifiedTime(file).toInstant() : Instant.EPOCH;
    }

    /**
     * Appends the result of an object to the journal.
     *
     * @param deleted whether it was deleted as one that the source lacks
     */
    public void append(String key, TaskResult ended, boolean deleted) throws IOException {
        if (journal == null) {
            journal = open(JOURNAL + number);
        }
        append(journal, JournalEntry.of(key, ended, deleted));
    }

    /** Appends a failure. Call it before the result is journalled. */
    public void append(ObjectFailure failure) throws IOException {
        if (failures == null) {
            failures = open(FAILURES);
        }
        if (failures.position() < MOST_FAILURE_BYTES) {
            append(failures, failure);
        }
    }

    /** Writes a checkpoint and begins a new journal. */
    public void write(
            @Nullable String position,
            List<String> beyond,
            JobProgress progress,
            UnfinishedProgress unfinished,
            @Nullable DeletionBudget deletions)
            throws IOException {
        int next = number + 1;
        JobCheckpoint checkpoint = new JobCheckpoint(next, position, beyond, progress, unfinished, deletions);
        PrivateFile.write(folder.resolve(CHECKPOINT), List.of(JSON.writeValueAsString(checkpoint)));
        closeJournal();
        Files.deleteIfExists(folder.resolve(JOURNAL + number));
        number = next;
    }

    /** Returns the failures in order, each object once. */
    public List<ObjectFailure> failures() throws IOException {
        Map<String, ObjectFailure> last = new LinkedHashMap<>();
        for (ObjectFailure failure : lines(folder.resolve(FAILURES), ObjectFailure.class)) {
            last.merge(failure.key(), failure, (earlier, later) -> later.after(earlier));
        }
        return List.copyOf(last.values());
    }

    /** Deletes the job. The folder stays until the pending uploads in it are aborted. */
    public void delete() throws IOException {
        close();
        boolean isEmpty = true;
        try (Stream<Path> files = Files.list(folder)) {
            // Delete the job's own file first: a folder without it is no job.
            for (Path file : files.sorted(Comparator.comparing(path -> !path.endsWith(JOB)))
                    .toList()) {
                if (PendingUploadStore.isNote(file)) {
                    isEmpty = false;
                } else {
                    Files.delete(file);
                }
            }
        }
        if (isEmpty) {
            Files.delete(folder);
        }
    }

    /** Deletes the files that only the runs of the job need. One that cannot be deleted goes with the job. */
    public void deleteArrangement() {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(JobFolder::isOfArrangement).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            // There is nothing that the owner of the job could do.
        }
    }

    private static boolean isOfArrangement(Path file) {
        return file.getFileName().toString().startsWith(ARRANGEMENT);
    }

    @Override
    public void close() throws IOException {
        closeJournal();
        if (failures != null) {
            failures.close();
            failures = null;
        }
    }

    private void closeJournal() throws IOException {
        if (journal != null) {
            journal.close();
            journal = null;
        }
    }

    /** Opens a file for appending, and cuts off an incomplete last line. */
    private FileChannel open(String name) throws IOException {
        FileChannel file = PrivateFile.open(folder.resolve(name));
        long end = file.size();
        ByteBuffer last = ByteBuffer.allocate(1);
        while (end > 0 && file.read(last.clear(), end - 1) == 1 && last.get(0) != '\n') {
            end--;
        }
        file.truncate(end);
        file.position(end);
        return file;
    }

    private static void append(FileChannel file, Object line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** Reads all complete lines. A kill may leave an incomplete last one. */
    private static <T> List<T> lines(Path file, Class<T> type) throws IOException {
        return lines(file, type, 0, Integer.MAX_VALUE);
    }

    /** Reads the lines of a file from {@code first} to before {@code end}. */
    static <T> List<T> lines(Path file, Class<T> type, int first, int end) throws IOException {
        List<T> lines = new ArrayList<>();
        if (!Files.exists(file)) {
            return lines;
        }
        // A reader of Files would fail on a cut UTF-8 sequence.
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            int number = 0;
            for (String line = in.readLine(); line != null && number < end; line = in.readLine()) {
                if (number++ >= first) {
                    lines.add(JSON.readValue(line, type));
                }
            }
        } catch (JacksonException torn) {
            // The last write was cut; there is nothing after it.
        }
        return lines;
    }

    private static <T> T read(Path file, Class<T> type) throws IOException {
        try {
            return JSON.readValue(Files.readString(file), type);
        } catch (JacksonException e) {
            throw new IOException("%s is damaged; move its folder away: %s".formatted(file, e.getOriginalMessage()), e);
        }
    }
}
