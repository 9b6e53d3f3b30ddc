package io.millrace.auth.policy;

import java.time.InstantSource;

/** The properties of a request that conditions of policies can depend on. */
record EvaluationContext(
        PolicyText.VariableValues caller, RequestSource source, RequestParameters parameters, InstantSource clock) {}
