package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import io.millrace.auth.SignedRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of the request headers that describe the body, such as {@code content-length}, {@code content-md5},
 * {@code x-amz-content-sha256} and {@code x-amz-checksum-*}. Query parameters of a presigned URL with these names do
 * not count: S3 does not verify a body against them. Immutable.
 */
public final class PayloadHeaders {
    static final String LENGTH = "content-length";
    static final String DECODED_LENGTH = "x-amz-decoded-content-length";
    static final String MD5 = "content-md5";
    static final String TRAILER = "x-amz-trailer";
    static final String SDK_ALGORITHM = "x-amz-sdk-checksum-algorithm";

    private final Map<String, List<String>> values;

    PayloadHeaders(Map<String, List<String>> values) {
        this.values = values;
    }

    /** Returns the headers of {@code request}. */
    public static PayloadHeaders of(SignedRequest request) {
        Map<String, List<String>> values = new HashMap<>();
        for (String name : request.headerNames()) {
            values.put(name, request.headerValues(name));
        }
        return new PayloadHeaders(values);
    }

    /**
     * Returns the fields of a form as headers, for a file of {@code length} bytes.
     *
     * @param fields by name in lower case
     */
    public static PayloadHeaders ofForm(Map<String, String> fields, long length) {
        Map<String, List<String>> values = new HashMap<>();
        fields.forEach((name, value) -> values.put(name, List.of(value)));
        values.put(LENGTH, List.of(Long.toString(length)));
        return new PayloadHeaders(values);
    }

    /**
     * Returns the header's value without surrounding white space, or null if it is absent; repeated headers are
     * refused.
     */
    @Nullable String find(String name) throws RequestVerificationException {
        List<String> all = all(name);
        if (all.size() > 1) {
            throw new RequestVerificationException(
                    Code.INVALID_ARGUMENT, "The request has the header " + name + " more than once.");
        }
        return all.isEmpty() ? null : all.get(0).strip();
    }

    /** Returns the items of a comma-separated header, over all its lines, each without surrounding white space. */
    List<String> items(String name) {
        List<String> items = new ArrayList<>();
        for (String value : all(name)) {
            for (String item : value.split(",", -1)) {
                items.add(item.strip());
            }
        }
        return items;
    }

    /** Returns the names of all headers with this prefix, in lower case. */
    List<String> namesWith(String prefix) {
        return values.keySet().stream()
                .filter(name -> name.toLowerCase(Locale.ROOT).startsWith(prefix))
                .sorted()
                .toList();
    }

    private List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }
}
