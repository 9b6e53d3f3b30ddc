package io.millrace.auth.policy;

import java.util.Optional;

/**
 * Parameters of the request that is authorized, such as {@code prefix} and {@code versionId}; conditions of policies
 * can depend on them.
 */
@FunctionalInterface
public interface RequestParameters {
    /** There are none. */
    RequestParameters NONE = name -> Optional.empty();

    /** Returns the value of a parameter, by the name that it has in a request; empty if it is absent. */
    Optional<String> find(String name);

    /** Returns the parameters of a request for a version; those of one for the current object if there is none. */
    static RequestParameters ofVersion(Optional<String> versionId) {
        return name -> name.equals("versionId") ? versionId : Optional.empty();
    }

    /** Returns these parameters with {@code prefix} in place of theirs. */
    default RequestParameters withPrefix(String prefix) {
        Optional<String> replaced = Optional.of(prefix);
        return name -> name.equals("prefix") ? replaced : find(name);
    }
}
