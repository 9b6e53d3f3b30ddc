package io.millrace.gateway.cluster;

import io.millrace.kit.async.ExecutedCall;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A value in a file of its own, which only this process's user can read. It is read once, and replaced atomically: a
 * kill or a power cut leaves the old or the new one.
 */
final class FileValue<T> implements DurableValue<T> {
    private final Path file;
    private final Function<T, byte[]> form;
    private final Executor thread;
    private volatile T value;

    /** Reads a value from the bytes of its file. */
    @FunctionalInterface
    interface Reader<T> {
        T read(byte[] bytes) throws RefusedMessageException;
    }

    private FileValue(Path file, T value, Function<T, byte[]> form, Executor thread) {
        this.file = file;
        this.value = value;
        this.form = form;
        this.thread = thread;
    }

    /**
     * Reads the file. Blocks.
     *
     * @param absent the value if there is no file
     * @param thread writes the file; may be blocked by the disk
     * @param ifLost what it means to start without the file, the end of a sentence
     * @throws IOException if it cannot be read; the message says what to do
     */
    static <T> FileValue<T> open(
            Path file, T absent, Reader<T> reader, Function<T, byte[]> form, Executor thread, String ifLost)
            throws IOException {
        return new FileValue<>(file, read(file, absent, reader, ifLost), form, thread);
    }

    private static <T> T read(Path file, T absent, Reader<T> reader, String ifLost) throws IOException {
        try {
            return reader.read(Files.readAllBytes(file));
        } catch (NoSuchFileException none) {
            return absent;
        } catch (RefusedMessageException damaged) {
            String remedy = damaged.reason() == PeerRefusal.Reason.OTHER_VERSION
                    ? "is of a later release (%s): run that one. Without the file, %s"
                    : "is damaged (%s): move it away and start again. Then %s";
            throw new IOException(file + " " + remedy.formatted(damaged.getMessage(), ifLost), damaged);
        }
    }

    @Override
    public T read() {
        return value;
    }

    /** A cancel does not stop it. */
    @Override
    public Mono<Void> write(T next) {
        return ExecutedCall.on(
                thread,
                () -> {
                    DurableFiles.replace(file, form.apply(next));
                    value = next;
                    return null;
                },
                closed -> new IOException("the cluster is closed", closed));
    }
}
