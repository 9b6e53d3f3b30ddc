package io.millrace.backend.gcs;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An error response of Google Cloud Storage, from its JSON API or its XML API. */
final class GcsErrorException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String reason;
    private final transient HeaderList headers;

    private GcsErrorException(BufferedResponse response, String reason, String message) {
        super(message, null, false, false);
        this.status = response.status();
        this.reason = reason;
        this.headers = response.fields();
    }

    static GcsErrorException of(BufferedResponse response) {
        String text = new String(response.bytes(), StandardCharsets.UTF_8).strip();
        if (text.startsWith("{")) {
            JsonNode error = json(text).path("error");
            String reason = error.at("/errors/0/reason").asString("");
            return new GcsErrorException(response, reason, error.path("message").asString(""));
        }
        if (text.startsWith("<")) {
            return xml(response);
        }
        return new GcsErrorException(response, "", text.lines().findFirst().orElse(""));
    }

    int status() {
        return status;
    }

    /** Returns the reason of the JSON API or the code of the XML API; empty if there is none. */
    String reason() {
        return reason;
    }

    /** Returns the server's words; may be empty. */
    String words() {
        return String.valueOf(getMessage());
    }

    /** Returns the response headers as received. */
    HeaderList headers() {
        return headers;
    }

    /** Returns whether a 401 only says that strangers may not read this, which rejects no credentials. */
    boolean isOfStranger() {
        return words().startsWith("Anonymous caller");
    }

    /** Returns whether a 404 is about the bucket, if the server says. */
    Optional<Boolean> isAboutBucket() {
        String words = words();
        if (reason.equals("NoSuchBucket") || words.contains("bucket does not exist")) {
            return Optional.of(true);
        }
        boolean isAboutObject = reason.equals("NoSuchKey") || words.startsWith("No such object");
        return isAboutObject ? Optional.of(false) : Optional.empty();
    }

    private static JsonNode json(String text) {
        try {
            return JsonMapper.shared().readTree(text);
        } catch (JacksonException notJson) {
            return JsonMapper.shared().createObjectNode();
        }
    }

    private static GcsErrorException xml(BufferedResponse response) {
        try {
            XmlElement error = XmlParser.parseIgnoringKeys(response.bytes(), "Error");
            return new GcsErrorException(
                    response,
                    error.textOf("Code").orElse(""),
                    error.textOf("Message").orElse(""));
        } catch (XmlException notXml) {
            return new GcsErrorException(response, "", "");
        }
    }
}
