package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.RequestVerificationException.Code;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields of a browser upload form (POST Object) by lower-case name, with access to those that carry its signature. */
record SignedFormFields(Map<String, String> values) {
    static final String POLICY = "policy";
    static final String ALGORITHM = "x-amz-algorithm";
    static final String CREDENTIAL = "x-amz-credential";
    static final String DATE = "x-amz-date";
    static final String SIGNATURE = "x-amz-signature";
    static final String V2_ACCESS_KEY = "awsaccesskeyid";
    static final String V2_SIGNATURE = "signature";

    private static final String TOKEN = "x-amz-security-token";
    private static final List<String> V4 = List.of(ALGORITHM, CREDENTIAL, DATE, SIGNATURE);
    private static final List<String> V2 = List.of(V2_ACCESS_KEY, V2_SIGNATURE);

    /** Returns whether a field belongs to a signature of version 4. */
    boolean anyV4() {
        return V4.stream().anyMatch(values::containsKey);
    }

    /** Returns whether a field belongs to a signature of version 2. */
    boolean anyV2() {
        return V2.stream().anyMatch(values::containsKey);
    }

    boolean hasPolicy() {
        return values.containsKey(POLICY);
    }

    /** Returns the session token; null if there is none. */
    @Nullable String token() {
        return values.get(TOKEN);
    }

    /** Returns the value of a required field. */
    String require(String name) throws RequestVerificationException {
        String value = values.get(name);
        if (value == null) {
            throw wrong(
                    name,
                    "",
                    "Bucket POST must contain a field named '" + name
                            + "'.  If it is specified, please check the order of the fields.");
        }
        return value;
    }

    /** Creates the error for a field that does not parse. */
    static RequestVerificationException wrong(String name, String value, String message) {
        Map<String, String> details = new LinkedHashMap<>();
        details.put("ArgumentName", name);
        details.put("ArgumentValue", value);
        return new RequestVerificationException(Code.INVALID_ARGUMENT, message, details);
    }
}
