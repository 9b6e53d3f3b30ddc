package io.millrace.backend.gcs;

import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A credentials file of Google, parsed. Its text form does not reveal it.
 *
 * @param origin its path, for messages
 */
record GoogleCredentialsFile(String origin, JsonNode root) {
    static final String TOKEN_ENDPOINT = "https://oauth2.googleapis.com/token";
    static final String STS_ENDPOINT = "https://sts.googleapis.com/v1/token";

    private static final int MAX_BYTES = 64 << 10;

    /**
     * Reads a file. Blocks on the disk.
     *
     * @throws IllegalArgumentException if it cannot be read or is no credentials file; the message says what to do
     */
    static GoogleCredentialsFile read(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IllegalArgumentException(file + " is no credentials file: it is too large");
            }
            JsonNode root = JsonMapper.shared().readTree(Files.readAllBytes(file));
            if (!root.isObject()) {
                throw new IllegalArgumentException(file + " is no credentials file: it is no JSON object");
            }
            return new GoogleCredentialsFile(file.toString(), root);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the credentials file %s cannot be read: %s".formatted(file, FileFailureText.of(e)));
        } catch (JacksonException e) {
            // Without the parser's message, which may quote the key.
            throw new IllegalArgumentException(file + " is no credentials file: it is no JSON");
        }
    }

    /** Returns the document that stands in this one under a name. */
    GoogleCredentialsFile nested(String field) {
        return new GoogleCredentialsFile(origin + " (" + field + ")", root.path(field));
    }

    Optional<String> optional(String field) {
        return Optional.of(root.path(field).asString("")).filter(text -> !text.isEmpty());
    }

    /**
     * @throws IllegalArgumentException if there is none
     */
    String required(String field) {
        return optional(field).orElseThrow(() -> new IllegalArgumentException("%s has no %s".formatted(origin, field)));
    }

    JsonNode at(String pointer) {
        return root.at(pointer);
    }

    /**
     * Returns the endpoint in a field.
     *
     * @throws IllegalArgumentException if it is not a URL with TLS, or of this machine
     */
    URI endpoint(String field, String otherwise) {
        URI endpoint = URI.create(optional(field).orElse(otherwise));
        boolean isLocal = "127.0.0.1".equals(endpoint.getHost()) || "localhost".equals(endpoint.getHost());
        boolean isSafe = "https".equals(endpoint.getScheme()) || ("http".equals(endpoint.getScheme()) && isLocal);
        if (!isSafe || endpoint.getHost() == null || endpoint.getRawUserInfo() != null) {
            throw new IllegalArgumentException("%s: %s is no https URL".formatted(origin, field));
        }
        return endpoint;
    }

    @Override
    public String toString() {
        return "CredentialsDocument[origin=" + origin + "]";
    }
}
