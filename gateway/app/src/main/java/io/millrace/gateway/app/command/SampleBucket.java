package io.millrace.gateway.app.command;

import io.millrace.gateway.app.StartException;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Creates the sample bucket of a first start. It is filled only once, so the operator's later changes persist. */
final class SampleBucket {
    static final String NAME = "demo";
    static final String SAMPLE = "hello.txt";

    private static final int ROWS = 10_000;

    private SampleBucket() {}

    /** Returns the folder of the objects of a start without a settings file. */
    static Path folder(Path data) {
        return data.toAbsolutePath().normalize().resolve("objects");
    }

    /**
     * Writes the bucket, unless the folder of objects exists.
     *
     * @throws StartException if it cannot be written
     */
    static void seedOnce(Path data) {
        Path objects = folder(data);
        if (Files.exists(objects)) {
            return;
        }
        try {
            Path bucket = Files.createDirectories(objects.resolve(NAME));
            Files.writeString(
                    bucket.resolve(SAMPLE), "Hello from Millrace. This object is a file below " + bucket + "\n");
            Files.writeString(Files.createDirectories(bucket.resolve("tables")).resolve("squares.csv"), squares());
        } catch (IOException e) {
            throw new StartException(
                    "cannot write the sample bucket below %s: %s".formatted(objects, FileFailureText.of(e)), e);
        }
    }

    private static String squares() {
        return IntStream.range(0, ROWS)
                .mapToObj(n -> n + "," + (long) n * n)
                .collect(Collectors.joining("\n", "n,square\n", "\n"));
    }
}
