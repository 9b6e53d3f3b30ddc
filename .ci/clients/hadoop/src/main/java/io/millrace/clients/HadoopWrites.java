package io.millrace.clients;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Hadoop's S3A writes a tree, over what was there, in parts; makes, lists, renames and deletes folders; and commits a
 * job as the classic committer does: attempts of tasks are written below {@code _temporary}, those that won are renamed
 * into place.
 */
public final class HadoopWrites {

    private static final java.nio.file.Path TREE = java.nio.file.Path.of(System.getenv("EXPECTED"), "tree");
    private static final String BUCKET = System.getenv("BUCKET");

    private final FileSystem s3;

    private HadoopWrites(FileSystem s3) {
        this.s3 = s3;
    }

    public static void main(String[] arguments) throws Exception {
        Configuration settings = new Configuration();
        settings.set("fs.s3a.endpoint", System.getenv("ENDPOINT"));
        settings.set("fs.s3a.endpoint.region", System.getenv("REGION"));
        settings.set("fs.s3a.access.key", System.getenv("ACCESS_KEY"));
        settings.set("fs.s3a.secret.key", System.getenv("SECRET_KEY"));
        settings.set("fs.s3a.path.style.access", "true");
        settings.setBoolean("fs.s3a.connection.ssl.enabled", System.getenv("ENDPOINT").startsWith("https:"));
        settings.set("fs.s3a.attempts.maximum", "1");
        settings.set("fs.s3a.multipart.size", "5M");
        settings.set("fs.s3a.multipart.threshold", "8M");
        settings.set("fs.s3a.buffer.dir", System.getenv("WORK"));
        try (FileSystem s3 = FileSystem.get(URI.create("s3a://" + BUCKET + "/"), settings)) {
            new HadoopWrites(s3).run();
        }
    }

    private void run() throws Exception {
        writeTree();
        overwrite();
        folders();
        commit();
    }

    private void writeTree() throws IOException {
        List<String> written = keys();
        for (String key : written) {
            byte[] content = Files.readAllBytes(TREE.resolve(key));
            write(path("tree/" + key), content);
            same(key, Arrays.equals(read(path("tree/" + key)), content), true);
        }
        same("files", new TreeSet<>(files("tree")), new TreeSet<>(written));
    }

    private void overwrite() throws IOException {
        Path path = path("changing");
        same("a missing file", s3.exists(path), false);
        byte[] large = Files.readAllBytes(TREE.resolve("sizes/large/20MiB+1"));
        for (int length : new int[] {5, large.length, 0, 100}) {
            byte[] content = Arrays.copyOf(large, length);
            write(path, content);
            same("length", s3.getFileStatus(path).getLen(), (long) length);
            same("content of length " + length, Arrays.equals(read(path), content), true);
        }
        try (FSDataOutputStream ignored = s3.create(path, false)) {
            throw new AssertionError("what is there was created again");
        } catch (FileAlreadyExistsException expected) {
            same("length of what is kept", s3.getFileStatus(path).getLen(), 100L);
        }
    }

    private void folders() throws IOException {
        same("made", s3.mkdirs(path("made/by/hand")), true);
        same("a folder", s3.getFileStatus(path("made/by/hand")).isDirectory(), true);
        write(path("made/by/hand/one"), new byte[] {1});
        same("renamed", s3.rename(path("made/by"), path("made/moved ä+%")), true);
        same("content of the renamed", read(path("made/moved ä+%/hand/one")).length, 1);
        missing(path("made/by/hand/one"));
        same("deleted", s3.delete(path("made"), true), true);
        missing(path("made"));
        same("renamed tree", s3.rename(path("tree/sizes"), path("sizes")), true);
        same("files of it", files("sizes").size(), (int) keys().stream().filter(key -> key.startsWith("sizes/")).count());
        same("files left of it", files("tree").stream().filter(key -> key.startsWith("sizes/")).count(), 0L);
    }

    /** Four tasks at once, each with an attempt that fails and one that wins. */
    private void commit() throws Exception {
        Path job = path("output/_temporary/0");
        s3.mkdirs(job);
        ExecutorService tasks = Executors.newFixedThreadPool(4);
        List<Future<?>> running = IntStream.range(0, 4)
                .<Future<?>>mapToObj(task -> tasks.submit(() -> commitTask(job, task)))
                .toList();
        for (Future<?> task : running) {
            task.get();
        }
        tasks.shutdown();
        for (FileStatus task : s3.listStatus(job)) {
            for (FileStatus file : s3.listStatus(task.getPath())) {
                same("committed", s3.rename(file.getPath(), path("output/" + file.getPath().getName())), true);
            }
        }
        s3.delete(path("output/_temporary"), true);
        write(path("output/_SUCCESS"), new byte[0]);
        List<String> wanted = List.of("_SUCCESS", "part-0", "part-1", "part-2", "part-3");
        same("output", Arrays.stream(s3.listStatus(path("output"))).map(one -> one.getPath().getName()).toList(), wanted);
        same("part 2", new String(read(path("output/part-2"))), "of attempt 1");
    }

    private void commitTask(Path job, int task) {
        try {
            for (int attempt = 0; attempt < 2; attempt++) {
                Path folder = new Path(job, "_temporary/attempt_" + task + "_" + attempt);
                write(new Path(folder, "part-" + task), ("of attempt " + attempt).getBytes());
            }
            s3.delete(new Path(job, "_temporary/attempt_" + task + "_0"), true);
            same("task committed", s3.rename(new Path(job, "_temporary/attempt_" + task + "_1"), new Path(job, "task_" + task)), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without the names that Hadoop's own paths cannot hold. */
    private static List<String> keys() throws IOException {
        try (var files = Files.walk(TREE)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> TREE.relativize(file).toString())
                    .filter(key -> !key.contains(":"))
                    .toList();
        }
    }

    private List<String> files(String folder) throws IOException {
        List<String> found = new ArrayList<>();
        RemoteIterator<? extends FileStatus> files = s3.listFiles(path(folder), true);
        while (files.hasNext()) {
            found.add(path(folder).toUri().relativize(files.next().getPath().toUri()).getPath());
        }
        return found;
    }

    private void missing(Path path) throws IOException {
        try {
            s3.getFileStatus(path);
        } catch (FileNotFoundException expected) {
            return;
        }
        throw new AssertionError(path + " is there");
    }

    private void write(Path path, byte[] content) throws IOException {
        try (FSDataOutputStream out = s3.create(path, true)) {
            out.write(content);
        }
    }

    private byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = s3.open(path)) {
            return in.readAllBytes();
        }
    }

    private static Path path(String key) {
        return new Path("s3a://" + BUCKET, "/" + key);
    }

    private static void same(String what, Object found, Object expected) {
        if (!expected.equals(found)) {
            throw new AssertionError("%s: found %s, expected %s".formatted(what, found, expected));
        }
    }
}
