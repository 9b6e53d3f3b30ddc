package io.millrace.gateway.s3.object;

import io.millrace.gateway.error.S3Exception;
import java.util.Map;
import java.util.Optional;

/**
 * The fields of a browser upload form that stand before its file.
 *
 * @param fields by name in lower case
 * @param bytes the length of this part of the form; the file begins there
 */
record UploadFormFields(Map<String, String> fields, String fileName, int bytes) {
    private static final String TYPE = "multipart/form-data";
    private static final String BOUNDARY = "boundary=";
    private static final int LONGEST_BOUNDARY = 70;

    UploadFormFields {
        fields = Map.copyOf(fields);
    }

    /** Returns the boundary in a Content-Type, the first if there are several; empty if it is not a form. */
    static Optional<String> boundary(String contentType) {
        String[] parts = contentType.split(";", -1);
        if (!parts[0].strip().equalsIgnoreCase(TYPE)) {
            return Optional.empty();
        }
        for (String part : parts) {
            String parameter = part.strip();
            if (parameter.regionMatches(true, 0, BOUNDARY, 0, BOUNDARY.length())) {
                return Optional.of(unquoted(parameter.substring(BOUNDARY.length())))
                        .filter(value -> !value.isEmpty() && value.length() <= LONGEST_BOUNDARY);
            }
        }
        return Optional.empty();
    }

    static S3Exception malformed(String why) {
        return new S3Exception(
                400,
                "MalformedPOSTRequest",
                "The body of your POST request is not well-formed multipart/form-data: " + why);
    }

    /** Returns the value of a parameter; a quoted one may contain blanks. */
    private static String unquoted(String value) {
        return value.startsWith("\"") ? value.substring(1).split("\"", 2)[0] : value.split("\\s", 2)[0];
    }
}
