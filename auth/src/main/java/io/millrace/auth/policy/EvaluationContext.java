package io.millrace.auth.policy;

import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/** The properties of a request that conditions of policies can depend on. */
record EvaluationContext(
        Optional<String> userName,
        Map<String, String> tags,
        RequestSource source,
        RequestParameters parameters,
        InstantSource clock) {}
