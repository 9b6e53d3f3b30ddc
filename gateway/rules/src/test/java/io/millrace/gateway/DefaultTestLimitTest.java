package io.millrace.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A test that hangs is named by its limit, which the parent pom sets for every module, and not by the end of the whole
 * run.
 */
class DefaultTestLimitTest {
    @RegisterExtension
    static final ReadParameters PARAMETERS = new ReadParameters();

    @Test
    void everyTestHasALimitOfMinutes() {
        assertThat(PARAMETERS.limit).get().asString().matches("[0-9]{1,2} [mh]");
        assertThat(PARAMETERS.dump).contains("true");
    }

    private static final class ReadParameters implements BeforeAllCallback {
        private Optional<String> limit = Optional.empty();
        private Optional<String> dump = Optional.empty();

        @Override
        public void beforeAll(ExtensionContext context) {
            limit = context.getConfigurationParameter(Timeout.DEFAULT_TIMEOUT_PROPERTY_NAME);
            dump = context.getConfigurationParameter("junit.jupiter.execution.timeout.threaddump.enabled");
        }
    }
}
