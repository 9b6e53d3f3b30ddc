package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.problem.SettingsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.netty.ChannelBindException;

/** Tests that a port that cannot be bound is named by its setting, with the reason in words and what to do. */
class StartFailureExplainerTest {
    /** As Netty says it, in a language that the number is for. */
    private static final String IN_USE = "bind(..) failed with error(-98): Die Adresse wird bereits verwendet";

    @ParameterizedTest
    @CsvSource({
        "s3, 9080, 's3.port', MILLRACE_S3_PORT",
        "s3, 9090, 's3.plain-port', MILLRACE_S3_PLAIN_PORT",
        "hub, 9082, 'hub.port', MILLRACE_HUB_PORT",
        "admin, 9081, 'admin.port', MILLRACE_ADMIN_PORT"
    })
    void portInUseIsNamedByItsSetting(String section, int port, String key, String variable) throws Exception {
        assertThat(explained(section, port, IN_USE))
                .hasMessageContaining(
                        "%s: cannot listen on 127.0.0.1:%d: the address is already in use.".formatted(section, port))
                .hasMessageContaining("stop the program that uses it")
                .hasMessageContaining("sport = :" + port)
                .hasMessageContaining(key)
                .hasMessageContaining(variable)
                .hasMessageNotContaining("error(");
    }

    @ParameterizedTest
    @CsvSource({
        "bind(..) failed with error(-13): Permission denied, this user may not open the port",
        "bind(..) failed with error(-99): Cannot assign requested address, this machine does not have the address",
        "bind(..) failed with error(-22): Invalid argument, Invalid argument"
    })
    void otherReasonsAreNoPortInUse(String said, String reason) throws Exception {
        assertThat(explained("s3", 9080, said))
                .hasMessageContaining(": %s. To mend it, choose another".formatted(reason))
                .hasMessageNotContaining("error(");
    }

    private static StartException explained(String section, int port, String said) throws SettingsException {
        ChannelBindException bind = ChannelBindException.fail(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), new IOException(said));
        RuntimeException failure = section.equals("admin") ? bind : new PortLifecycle.PortException(section, bind);
        RuntimeException explained = StartFailureExplainer.explain(new IllegalStateException(failure), settings());
        assertThat(explained).isInstanceOf(StartException.class);
        return (StartException) explained;
    }

    private static MillraceSettings settings() throws SettingsException {
        return SettingsLoader.ofText("""
                s3: { tls: { certificate: ./c.pem, private-key: ./k.pem }, plain-port: 9090 }
                cache: { disks: [ { path: target/cache, size: 1GiB } ] }
                backends: { hf: { type: hub } }
                hub: { backend: hf }
                buckets: [ { name: models, backend: hf } ]
                identities: [ { name: admin, access-key: A, secret-key: S, allow: "*" } ]
                """, Map.of()).settings();
    }
}
