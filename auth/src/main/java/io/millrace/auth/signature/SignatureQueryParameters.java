package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignedRequest.Parameter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Query parameters of a presigned URL that carry its signature. Each may occur once; names are case-insensitive. */
final class SignatureQueryParameters {
    private static final String INCOMPLETE = "Query-string authentication version 4 requires the X-Amz-Algorithm,"
            + " X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.";

    private static final SignatureQueryParameters NONE =
            new SignatureQueryParameters(new EnumMap<>(SignatureQueryParameter.class));

    private final Map<SignatureQueryParameter, String> values;
    private final boolean anyV4;
    private final boolean anyV2;

    private SignatureQueryParameters(Map<SignatureQueryParameter, String> values) {
        this.values = values;
        this.anyV4 = values.keySet().stream().anyMatch(name -> name.scheme() == SignatureScheme.V4_QUERY);
        this.anyV2 = values.keySet().stream().anyMatch(name -> name.scheme() == SignatureScheme.V2_QUERY);
    }

    /** Collects the authentication parameters of {@code query}. */
    static SignatureQueryParameters of(List<Parameter> query) throws RequestVerificationException {
        Map<SignatureQueryParameter, String> values = null;
        for (Parameter parameter : query) {
            SignatureQueryParameter name = SignatureQueryParameter.find(parameter.name());
            if (name == null) {
                continue;
            }
            if (values == null) {
                values = new EnumMap<>(SignatureQueryParameter.class);
            }
            if (values.put(name, parameter.value()) != null) {
                throw name.malformed("The query has the parameter " + name.text() + " more than once.");
            }
        }
        return values == null ? NONE : new SignatureQueryParameters(values);
    }

    /** Returns whether a parameter belongs to a signature of version 4. */
    boolean anyV4() {
        return anyV4;
    }

    /** Returns whether a parameter belongs to a signature of version 2. */
    boolean anyV2() {
        return anyV2;
    }

    @Nullable String find(SignatureQueryParameter name) {
        return values.get(name);
    }

    /** Returns the value of a required parameter. */
    String require(SignatureQueryParameter name) throws RequestVerificationException {
        String value = values.get(name);
        if (value == null) {
            throw name.malformed(
                    name.scheme() == SignatureScheme.V4_QUERY
                            ? INCOMPLETE
                            : "The query has part of a signature, but no " + name.text() + '.');
        }
        return value;
    }
}
