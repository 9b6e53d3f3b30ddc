package io.millrace.auth.policy;

import io.millrace.config.problem.InvalidValueException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON value of a policy, with its place in the file.
 *
 * @param path the place, as {@code Statement[1].Action}
 * @param line from 1
 * @param kind the token that begins it
 * @param text a scalar's text; empty for others
 * @param elements of an array
 * @param members of an object, by name
 */
record PolicyNode(
        String path,
        int line,
        JsonToken kind,
        String text,
        List<PolicyNode> elements,
        Map<String, PolicyNode> members) {
    /** The size limit of S3's bucket policies, in bytes. */
    static final int LARGEST = 20 << 10;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxDocumentLength(LARGEST)
                    .maxNestingDepth(10)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Parses a JSON document of at most {@link #LARGEST} bytes. No object in it may have a name twice. */
    static PolicyNode parse(byte[] document) throws InvalidValueException {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            if (json.nextToken() == null) {
                throw new InvalidValueException("the file is empty", "write a policy into it");
            }
            PolicyNode root = read(json, "");
            if (json.nextToken() != null) {
                throw new InvalidValueException(
                        "line " + json.currentTokenLocation().getLineNr() + ": text follows the policy",
                        "write one policy a file");
            }
            return root;
        } catch (JacksonException e) {
            throw new InvalidValueException(
                    "line "
                            + (e.getLocation() == null
                                    ? 1
                                    : Math.max(1, e.getLocation().getLineNr())) + ": is not valid JSON: "
                            + e.getOriginalMessage().lines().findFirst().orElse(""),
                    "correct it; no object may have a name twice");
        }
    }

    private static PolicyNode read(JsonParser json, String path) {
        int line = json.currentTokenLocation().getLineNr();
        JsonToken kind = json.currentToken();
        List<PolicyNode> elements = new ArrayList<>();
        Map<String, PolicyNode> members = new LinkedHashMap<>();
        if (kind == JsonToken.START_ARRAY) {
            while (json.nextToken() != JsonToken.END_ARRAY) {
                elements.add(read(json, path + '[' + elements.size() + ']'));
            }
        } else if (kind == JsonToken.START_OBJECT) {
            while (json.nextToken() != JsonToken.END_OBJECT) {
                String name = json.currentName();
                json.nextToken();
                members.put(name, read(json, path.isEmpty() ? name : path + '.' + name));
            }
        }
        String text = kind.isScalarValue() ? json.getString() : "";
        return new PolicyNode(path, line, kind, text, elements, members);
    }

    boolean isObject() {
        return kind == JsonToken.START_OBJECT;
    }

    /** Returns an exception for this value. */
    InvalidValueException problem(String what, String remedy) {
        return new InvalidValueException("line " + line + (path.isEmpty() ? "" : ", " + path) + ": " + what, remedy);
    }

    /** Returns the text of a string. */
    String string() throws InvalidValueException {
        if (kind != JsonToken.VALUE_STRING) {
            throw problem("is not a string", "write a text in quotes");
        }
        return text;
    }

    /** Returns the only string, or the strings of an array, which is not empty. */
    List<String> strings() throws InvalidValueException {
        if (kind != JsonToken.START_ARRAY) {
            return List.of(string());
        }
        List<String> strings = new ArrayList<>();
        for (PolicyNode element : nonEmpty()) {
            strings.add(element.string());
        }
        return strings;
    }

    /** Returns the only scalar, or those of an array, as text. */
    List<String> scalars() throws InvalidValueException {
        List<String> scalars = new ArrayList<>();
        for (PolicyNode element : kind == JsonToken.START_ARRAY ? nonEmpty() : List.of(this)) {
            if (!element.kind.isScalarValue() || element.kind == JsonToken.VALUE_NULL) {
                throw element.problem("is not a value to compare", "write a text, a number, true or false");
            }
            scalars.add(element.text);
        }
        return scalars;
    }

    private List<PolicyNode> nonEmpty() throws InvalidValueException {
        if (elements.isEmpty()) {
            throw problem("is empty", "write at least one value, or leave the element out");
        }
        return elements;
    }
}
