package io.millrace.loadgen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes results as JSON files. Blocks. */
final class ResultFile {
    /** Numbers that an earlier version did not write are 0. */
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .build();

    private static final long LARGEST = 64 << 20;

    private ResultFile() {}

    /** Writes a result. */
    static void write(Path file, RunResult result) throws IOException {
        Files.writeString(file, JSON.writeValueAsString(result));
    }

    /**
     * Reads a result.
     *
     * @throws IOException if the file cannot be read or is no result; the message names the file
     */
    static RunResult read(Path file) throws IOException {
        if (Files.size(file) > LARGEST) {
            throw new IOException(file + " is too large for a result");
        }
        try {
            return JSON.readValue(Files.readString(file), RunResult.class);
        } catch (JacksonException e) {
            throw new IOException(file + " is not a result of this program: " + e.getOriginalMessage(), e);
        }
    }

    /** Returns {@code value} as JSON in one line. */
    static String toJson(Object value) {
        return JSON.writer().without(SerializationFeature.INDENT_OUTPUT).writeValueAsString(value);
    }
}
