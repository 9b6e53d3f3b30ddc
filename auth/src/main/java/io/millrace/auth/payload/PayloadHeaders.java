package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.millrace.auth.AuthException.Code;
import io.millrace.auth.SignedRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a request that say something of its body: {@code content-length}, {@code content-encoding},
 * {@code content-md5}, {@code x-amz-content-sha256}, {@code x-amz-decoded-content-length}, {@code x-amz-trailer},
 * {@code x-amz-checksum-*} and {@code x-amz-sdk-checksum-algorithm}. Parameters of a presigned URL under these names are no
 * headers: S3 does not hold a body against them. Immutable.
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

    /** Those of {@code request}. */
    public static PayloadHeaders of(SignedRequest request) {
        Map<String, List<String>> values = new HashMap<>();
        for (String name : request.headerNames()) {
            values.put(name, request.headerValues(name));
        }
        return new PayloadHeaders(values);
    }

    /**
     * Those of a form, where fields stand for headers, and whose file has {@code length} bytes.
     *
     * @param fields by name in lower case
     */
    public static PayloadHeaders ofForm(Map<String, String> fields, long length) {
        Map<String, List<String>> values = new HashMap<>();
        fields.forEach((name, value) -> values.put(name, List.of(value)));
        values.put(LENGTH, List.of(Long.toString(length)));
        return new PayloadHeaders(values);
    }

    /** The header's value without white space around it, or null if it is absent; several are refused. */
    @Nullable String find(String name) throws AuthException {
        List<String> all = all(name);
        if (all.size() > 1) {
            throw new AuthException(Code.INVALID_ARGUMENT, "The request has the header " + name + " more than once.");
        }
        return all.isEmpty() ? null : all.get(0).strip();
    }

    /** The items of a header that is a list with commas, over all its lines, each without white space around it. */
    List<String> items(String name) {
        List<String> items = new ArrayList<>();
        for (String value : all(name)) {
            for (String item : value.split(",", -1)) {
                items.add(item.strip());
            }
        }
        return items;
    }

    /** The names of all headers there are that begin so, in lower case. */
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
