package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests that a mistyped word gets a short error and a suggestion. */
class MistypedCommandTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @ParameterizedTest
    @CsvSource({"prefetc, prefetch", "stauts, status", "jobs lst, list", "status --jsn, --json"})
    void namesWhatMayBeMeant(String line, String meant) {
        CommandHarness.Result result = new CommandHarness(folder).run(line.split(" "));

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err().lines().skip(1)).first().asString().startsWith("Did you mean: " + meant);
    }

    @ParameterizedTest
    @ValueSource(strings = {"qqq", "jobs qqq", "status --qqq", "status qqq"})
    void suggestsNothingThatIsNotAlike(String line) {
        CommandHarness.Result result = new CommandHarness(folder).run(line.split(" "));

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).contains("qqq", "--help").doesNotContain("Did you mean");
    }

    /** It is the address of S3, which another server or another port may have. */
    @Test
    void ignoresTheS3EndpointOfAProfile() throws Exception {
        Files.createDirectories(folder.resolve(".aws"));
        Files.writeString(folder.resolve(".aws/config"), "[default]\nendpoint_url = http://no-such-host.invalid\n");
        Files.writeString(
                folder.resolve(".aws/credentials"),
                "[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n"
                        .formatted(FakeControlServer.ACCESS, FakeControlServer.SECRET));

        CommandHarness.Result result = new CommandHarness(folder).run("status");

        assertThat(result.err()).doesNotContain("no-such-host");
    }

    @Test
    void optionsOfTheConnectionMayStandBeforeTheCommand() {
        assertThat(ClientCommandRegistry.commandFirst("--endpoint-url", "http://a", "--profile=b", "jobs", "list"))
                .containsExactly("jobs", "list", "--endpoint-url", "http://a", "--profile=b");
        assertThat(ClientCommandRegistry.commandFirst("jobs", "--profile", "b"))
                .containsExactly("jobs", "--profile", "b");
        assertThat(ClientCommandRegistry.commandFirst("--endpoint-url", "http://a"))
                .containsExactly("--endpoint-url", "http://a");
        assertThat(ClientCommandRegistry.commandFirst()).isEmpty();
    }

    @Test
    void everyCommandIsExplainedInASentence() {
        CommandLine millrace = new CommandLine(new CommandHarness.Millrace());
        ClientCommandRegistry.addTo(millrace, CommandEnvironment.ofProcess());

        millrace.getSubcommands()
                .forEach((name, command) -> assertThat(
                                command.getCommandSpec().usageMessage().description()[0])
                        .as(name)
                        .endsWith("."));
    }

    @Test
    void explainTakesAnObject() {
        assertThat(new CommandHarness(folder).run("explain", "s3://data").err())
                .isEqualTo("millrace: s3://data is a bucket: write an object as s3://BUCKET/KEY%n".formatted());
        assertThat(new CommandHarness(folder).run("explain", "copies/x").err())
                .contains("'copies/x' is not a location: write s3://BUCKET/KEY")
                .doesNotContain("PREFIX");
    }
}
