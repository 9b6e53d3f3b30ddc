package io.millrace.auth.signature;

import io.millrace.auth.AuthException;
import io.millrace.auth.SignatureScheme;
import io.millrace.auth.SignedRequest.Parameter;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a query that authenticate: each may be there once, in any case of letters. */
final class AuthParameters {
    private static final String INCOMPLETE = "Query-string authentication version 4 requires the X-Amz-Algorithm,"
            + " X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.";

    private static final AuthParameters NONE = new AuthParameters(new EnumMap<>(AuthParameter.class));

    private final Map<AuthParameter, String> values;
    private final boolean anyV4;
    private final boolean anyV2;

    private AuthParameters(Map<AuthParameter, String> values) {
        this.values = values;
        this.anyV4 = values.keySet().stream().anyMatch(name -> name.scheme() == SignatureScheme.V4_QUERY);
        this.anyV2 = values.keySet().stream().anyMatch(name -> name.scheme() == SignatureScheme.V2_QUERY);
    }

    /** Picks them out of {@code query}. */
    static AuthParameters of(List<Parameter> query) throws AuthException {
        Map<AuthParameter, String> values = null;
        for (Parameter parameter : query) {
            AuthParameter name = AuthParameter.find(parameter.name());
            if (name == null) {
                continue;
            }
            if (values == null) {
                values = new EnumMap<>(AuthParameter.class);
            }
            if (values.put(name, parameter.value()) != null) {
                throw name.malformed("The query has the parameter " + name.text() + " more than once.");
            }
        }
        return values == null ? NONE : new AuthParameters(values);
    }

    /** Whether anything here belongs to a signature of version 4. */
    boolean anyV4() {
        return anyV4;
    }

    /** Whether anything here belongs to a signature of version 2. */
    boolean anyV2() {
        return anyV2;
    }

    @Nullable String find(AuthParameter name) {
        return values.get(name);
    }

    /** The value of a parameter without which there is no signature. */
    String require(AuthParameter name) throws AuthException {
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
