package io.millrace.backend.hub;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Reads the Hub's JSON documents: single fields, and all but what concerns Xet. */
final class HubJsonReader {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(64).build())
            .build();

    /** The field that sends clients to Xet's own protocol. */
    private static final String XET = "xetHash";

    private HubJsonReader() {}

    /**
     * Returns the scalar fields of an object, those of objects in it as {@code outer.inner}.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it is no object in JSON
     */
    static Map<String, String> ofObject(byte[] document) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            require(json.nextToken() == JsonToken.START_OBJECT);
            return object(json);
        } catch (JacksonException e) {
            throw invalid();
        }
    }

    /**
     * Returns the fields of each object in an array, as {@link #ofObject} does.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it is no such array in JSON
     */
    static List<Map<String, String>> ofArray(byte[] document) {
        List<Map<String, String>> objects = new ArrayList<>();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            require(json.nextToken() == JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
                require(json.currentToken() == JsonToken.START_OBJECT);
                objects.add(object(json));
            }
        } catch (JacksonException e) {
            throw invalid();
        }
        return objects;
    }

    /**
     * Returns whether an array has no element.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it is no array in JSON
     */
    static boolean isEmptyArray(byte[] document) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            require(json.nextToken() == JsonToken.START_ARRAY);
            return json.nextToken() == JsonToken.END_ARRAY;
        } catch (JacksonException e) {
            throw invalid();
        }
    }

    /**
     * Joins documents without what they say of Xet: the elements of arrays, or the one object.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if they are not arrays in JSON, or a single
     *     object
     */
    static byte[] withoutXet(List<byte[]> documents) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), joined)) {
            if (documents.size() > 1) {
                out.writeStartArray();
            }
            for (byte[] document : documents) {
                copy(document, documents.size() > 1, out);
            }
            if (documents.size() > 1) {
                out.writeEndArray();
            }
        } catch (JacksonException e) {
            throw invalid();
        }
        return joined.toByteArray();
    }

    private static void copy(byte[] document, boolean elementsOnly, JsonGenerator out) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            require(!elementsOnly || json.nextToken() == JsonToken.START_ARRAY);
            int depth = 0;
            JsonToken token = json.nextToken();
            while (token != null && !(elementsOnly && depth == 0 && token == JsonToken.END_ARRAY)) {
                if (token == JsonToken.PROPERTY_NAME && json.currentName().equals(XET)) {
                    json.nextToken();
                    json.skipChildren();
                } else {
                    out.copyCurrentEvent(json);
                    depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                }
                token = json.nextToken();
            }
            require(depth == 0);
        }
    }

    private static Map<String, String> object(JsonParser json) {
        Map<String, String> fields = new HashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            require(json.currentToken() == JsonToken.PROPERTY_NAME);
            String name = json.currentName();
            JsonToken value = json.nextToken();
            require(value != null);
            if (value == JsonToken.START_OBJECT) {
                object(json).forEach((inner, text) -> fields.put(name + "." + inner, text));
            } else if (value == JsonToken.START_ARRAY) {
                json.skipChildren();
            } else if (value != JsonToken.VALUE_NULL) {
                fields.put(name, json.getString());
            }
        }
        return fields;
    }

    private static void require(boolean sound) {
        if (!sound) {
            throw invalid();
        }
    }

    private static BackendException invalid() {
        return new BackendException(FailureKind.INVALID_RESPONSE, "the document is not the JSON that the Hub writes");
    }
}
