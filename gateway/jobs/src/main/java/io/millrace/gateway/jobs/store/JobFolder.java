package io.millrace.gateway.jobs.store;

import io.millrace.gateway.jobs.progress.JobProgress;
import io.millrace.gateway.jobs.progress.TaskResult;
import io.millrace.gateway.objects.file.PrivateFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * What is kept of one job, in a folder of its own. What is written is there after the program was killed; a checkpoint also after a
 * power cut, and what came behind it is done again then. Every method may wait for the disk; used by one thread at a time.
 *
 * <pre>
 *   job.json          StoredJob: what was asked, and the state; replaced whole
 *   checkpoint.json   Checkpoint: how far it is; replaced whole
 *   journal-N         JournalEntry each: what ended behind checkpoint N
 *   failures          Failure each; an object may stand there twice, and then the last one counts
 *   upload-HASH       an upload in parts: see PendingUploadStore; may outlive all others
 * </pre>
 */
public final class JobFolder implements AutoCloseable {
    /** Failures that are told by name; others are only counted. */
    public static final int MOST_FAILURES = 100_000;

    /** And so much of them: they are read whole. */
    static final long MOST_FAILURE_BYTES = 16 << 20;

    /** A number that an earlier version did not write is 0. */
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

    /** Makes a folder for a job. */
    public static JobFolder create(Path jobs, StoredJob job) throws IOException {
        JobFolder made = new JobFolder(Files.createDirectory(jobs.resolve(job.id())));
        made.write(job);
        return made;
    }

    /** The folders of all jobs there are, in the order of their submission. */
    public static List<JobFolder> all(Path jobs) throws IOException {
        try (Stream<Path> folders = Files.list(jobs)) {
            return folders.filter(folder -> Files.exists(folder.resolve(JOB)))
                    .sorted(Comparator.comparing(Path::getFileName))
                    .map(JobFolder::new)
                    .toList();
        }
    }

    /** Folders of jobs that are gone, in which uploads are noted that could not be given up yet. */
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

    /** What was asked, and the state. */
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

    /** How far the job is, with all that is in its journal; what is written from now on goes behind that. */
    public JobCheckpoint restore() throws IOException {
        Path file = folder.resolve(CHECKPOINT);
        JobCheckpoint checkpoint = Files.exists(file) ? read(file, JobCheckpoint.class) : JobCheckpoint.NONE;
        number = checkpoint.journal();
        List<String> beyond = new ArrayList<>(checkpoint.beyond());
        JobProgress progress = checkpoint.progress();
        for (JournalEntry line : lines(folder.resolve(JOURNAL + number), JournalEntry.class)) {
            beyond.add(line.key());
            progress = progress.plus(line.ended());
        }
        return new JobCheckpoint(number, checkpoint.position(), beyond, progress);
    }

    /** Remembers how an object ended. */
    public void append(String key, TaskResult ended) throws IOException {
        if (journal == null) {
            journal = open(JOURNAL + number);
        }
        append(journal, JournalEntry.of(key, ended));
    }

    /** Remembers why an object failed; before it is said that it has. */
    public void append(ObjectFailure failure) throws IOException {
        if (failures == null) {
            failures = open(FAILURES);
        }
        if (failures.position() < MOST_FAILURE_BYTES) {
            append(failures, failure);
        }
    }

    /** Remembers how far it is, in place of the journal. */
    public void write(@Nullable String position, List<String> beyond, JobProgress progress) throws IOException {
        int next = number + 1;
        PrivateFile.write(
                folder.resolve(CHECKPOINT),
                List.of(JSON.writeValueAsString(new JobCheckpoint(next, position, beyond, progress))));
        closeJournal();
        Files.deleteIfExists(folder.resolve(JOURNAL + number));
        number = next;
    }

    /** What failed, in the order in which it failed, each once. */
    public List<ObjectFailure> failures() throws IOException {
        Map<String, ObjectFailure> last = new LinkedHashMap<>();
        for (ObjectFailure failure : lines(folder.resolve(FAILURES), ObjectFailure.class)) {
            last.put(failure.key(), failure);
        }
        return List.copyOf(last.values());
    }

    /** Removes the job. Notes of its uploads stay, and the folder with them, until those have been given up. */
    public void delete() throws IOException {
        close();
        boolean isEmpty = true;
        try (Stream<Path> files = Files.list(folder)) {
            // The job's own file goes first: without it the rest is no job.
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

    /** A line that was not written to its end is cut off, so that the next one stands alone. */
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

    /** Whole lines; what a kill left behind them is none. */
    private static <T> List<T> lines(Path file, Class<T> type) throws IOException {
        return lines(file, type, 0, Integer.MAX_VALUE);
    }

    /** The same of some of the lines of a file, from {@code first} to before {@code end}. */
    static <T> List<T> lines(Path file, Class<T> type, int first, int end) throws IOException {
        List<T> lines = new ArrayList<>();
        if (!Files.exists(file)) {
            return lines;
        }
        // Not a reader of Files: that one fails where a letter was cut.
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            int number = 0;
            for (String line = in.readLine(); line != null && number < end; line = in.readLine()) {
                if (number++ >= first) {
                    lines.add(JSON.readValue(line, type));
                }
            }
        } catch (JacksonException torn) {
            // Nothing was written behind it.
        }
        return lines;
    }

    private static <T> T read(Path file, Class<T> type) throws IOException {
        try {
            return JSON.readValue(Files.readString(file), type);
        } catch (JacksonException e) {
            throw new IOException("%s is not as Millrace writes it: %s".formatted(file, e.getOriginalMessage()), e);
        }
    }
}
