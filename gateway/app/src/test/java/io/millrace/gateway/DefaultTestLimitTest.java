package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A test that hangs is named by its limit, which the parent pom sets for every module, and not by the end of the whole run. */
class DefaultTestLimitTest {
    private static Optional<String> limit = Optional.empty();
    private static Optional<String> dump = Optional.empty();

    @RegisterExtension
    static final BeforeAllCallback PARAMETERS = context -> {
        limit = context.getConfigurationParameter(Timeout.DEFAULT_TIMEOUT_PROPERTY_NAME);
        dump = context.getConfigurationParameter("junit.jupiter.execution.timeout.threaddump.enabled");
    };

    @Test
    void everyTestHasALimitOfMinutes() {
        assertThat(limit).get().asString().matches("[0-9]{1,2} [mh]");
        assertThat(dump).contains("true");
    }
}
