package io.millrace.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the job request contains exactly the options of the command line. */
class SubmitJobCommandTest extends FakeControlServerTest {
    private static final String JOBS = "POST /api/v1/jobs";

    @BeforeEach
    void respond() {
        server.on(JOBS, PlannedResponse.json(201, JobFixtures.json("submitted", 0)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            prefetch s3://data | {'kind':'prefetch','from':{'bucket':'data'}}
            prefetch s3://data/a//b%20+é/ | {'kind':'prefetch','from':{'bucket':'data','prefix':'a//b%20+é/'}}
            prefetch s3://d --glob *.tar --regex ^a --min-size 1MiB --max-size 2GiB --newer-than P7D --older-than P1D | \
            {'kind':'prefetch','from':{'bucket':'d','glob':'*.tar','regex':'^a','minSize':'1MiB','maxSize':'2GiB','newerThan':'P7D','olderThan':'P1D'}}
            prefetch s3://d/p/ --pin P7D | {'kind':'prefetch','from':{'bucket':'d','prefix':'p/'},'pin':'P7D'}
            prefetch s3://d --template o-{1..9} --range bytes=-5 | {'kind':'prefetch','from':{'bucket':'d','template':'o-{1..9}'},'range':'bytes=-5'}
            prefetch s3://d --manifest lists/m --workers 4 --bandwidth 1MiB --requests-per-second 9 --attempts 2 --dry-run --client-token t | \
            {'kind':'prefetch','from':{'bucket':'d','manifest':'lists/m'},'workers':4,'bandwidth':'1MiB','requestsPerSecond':9,'attempts':2,'dryRun':true,'clientToken':'t'}
            copy s3://a/p s3://b/q --delete-extra --max-delete 500 | \
            {'kind':'copy','from':{'bucket':'a','prefix':'p'},'to':{'bucket':'b','prefix':'q'},'deleteExtra':true,'maxDelete':500}
            copy s3://a/p s3://b/q --overwrite always --delete-extra | \
            {'kind':'copy','from':{'bucket':'a','prefix':'p'},'to':{'bucket':'b','prefix':'q'},'overwrite':'always','deleteExtra':true}
            pack s3://a/p/ s3://b/q/s-%06d.tar --shard-size 1MiB --samples 5 --shuffle 7 | \
            {'kind':'pack','from':{'bucket':'a','prefix':'p/'},'to':{'bucket':'b','prefix':'q/'},'shards':{'name':'s-%06d.tar','size':'1MiB','samples':5,'shuffle':7}}
            pack s3://a/p/ s3://b/%04d.tar --shuffle 7 --window 64 --append | \
            {'kind':'pack','from':{'bucket':'a','prefix':'p/'},'to':{'bucket':'b'},'shards':{'name':'%04d.tar','shuffle':7,'window':64,'append':true}}
            pack s3://a s3://b/%04d.tar --manifest order | \
            {'kind':'pack','from':{'bucket':'a','manifest':'order'},'to':{'bucket':'b'},'shards':{'name':'%04d.tar'}}
            pack s3://a s3://b/%04d.tar | {'kind':'pack','from':{'bucket':'a'},'to':{'bucket':'b'},'shards':{'name':'%04d.tar'}}
            download https://h/{1..3} s3://b/q | {'kind':'download','from':{'template':'https://h/{1..3}'},'to':{'bucket':'b','prefix':'q'}}
            download https://h/a?b=c http://h/d s3://b --overwrite always | \
            {'kind':'download','from':{'urls':['https://h/a?b=c','http://h/d']},'to':{'bucket':'b'},'overwrite':'always'}
            download --manifest s3://l/m.gz s3://b/q/ | {'kind':'download','from':{'manifest':'s3://l/m.gz'},'to':{'bucket':'b','prefix':'q/'}}
            evict s3://b/q | {'kind':'evict','from':{'bucket':'b','prefix':'q'}}
            verify s3://b/q | {'kind':'verify','from':{'bucket':'b','prefix':'q'}}
            verify s3://b/q s3://c | {'kind':'verify','from':{'bucket':'b','prefix':'q'},'to':{'bucket':'c'}}
            """)
    void optionsBecomeFields(String command, String request) {
        CommandHarness.Result result = CommandHarness.at(server, folder).run(command.split(" "));

        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        assertThat(JsonCodec.write(server.onlyBody())).isEqualTo(request.replace('\'', '"'));
    }

    @Test
    void printsTheJobAndTheFollowCommand() {
        assertThat(CommandHarness.at(server, folder)
                        .run("prefetch", "s3://data")
                        .out())
                .isEqualTo("job j1 (prefetch) is submitted. To follow it: millrace jobs watch j1%n".formatted());
    }

    @Test
    void jsonIsTheJobInALine() {
        assertThat(CommandHarness.at(server, folder)
                        .run("prefetch", "s3://data", "--json")
                        .out()
                        .strip())
                .isEqualTo(JobFixtures.json("submitted", 0));
    }

    @Test
    void keysComeFromAFileOrFromStandardInput() throws IOException {
        Files.writeString(folder.resolve("keys"), "a b\r\n\n é\n");
        CommandHarness shell = CommandHarness.at(server, folder).input("x\ny");

        shell.run("prefetch", "s3://data", "--keys-from", "keys");
        shell.run("prefetch", "s3://data", "--keys-from", "-");

        assertThat(server.asked())
                .extracting(RecordedRequest::text)
                .containsExactly(
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"a b\",\" é\"]}}",
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"x\",\"y\"]}}");
    }

    @Test
    void urlsComeFromAFileOrFromStandardInput() throws IOException {
        Files.writeString(folder.resolve("urls"), "# mine\nhttps://h/a sha1:x\n\n  \nhttps://h/b\n");
        CommandHarness shell = CommandHarness.at(server, folder).input("https://h/c");

        shell.run("download", "--from-file", "urls", "s3://data/p/");
        shell.run("download", "-", "https://h/d", "s3://data");

        assertThat(server.asked())
                .extracting(RecordedRequest::text)
                .containsExactly(
                        "{\"kind\":\"download\",\"from\":{\"urls\":[\"https://h/a"
                                + " sha1:x\",\"https://h/b\"]},\"to\":{\"bucket\":\"data\",\"prefix\":\"p/\"}}",
                        "{\"kind\":\"download\",\"from\":{\"urls\":[\"https://h/c\",\"https://h/d\"]},"
                                + "\"to\":{\"bucket\":\"data\"}}");
    }

    @Test
    void reportsInvalidKeysBeforeSending() throws IOException {
        Files.write(folder.resolve("latin"), new byte[] {'a', (byte) 0xe9, '\n'});
        Files.writeString(folder.resolve("empty"), "\n\n");
        String many =
                IntStream.rangeClosed(0, 10_000).mapToObj(Integer::toString).collect(Collectors.joining("\n"));
        CommandHarness shell = CommandHarness.at(server, folder).input(many);

        assertThat(shell.run("prefetch", "s3://data", "--keys-from", "-").err()).contains("10,000", "--manifest");
        assertThat(shell.run("prefetch", "s3://data", "--keys-from", "latin").err())
                .contains("is not UTF-8");
        assertThat(shell.run("prefetch", "s3://data", "--keys-from", "empty").err())
                .contains("empty has no names");
        assertThat(shell.run("prefetch", "s3://data", "--keys-from", "none").err())
                .contains("no such file");
        assertThat(shell.run("prefetch", "s3://data", "--keys-from", "none").code())
                .isEqualTo(2);
        assertThat(server.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "prefetch|Missing required parameter",
                "prefetch data/train|is not a location",
                "prefetch s3:///x|is not a location",
                "prefetch s3://|is not a location",
                "prefetch s3://b --workers many|--workers",
                "copy s3://a|Missing required parameter",
                "download|Missing required parameter",
                "download s3://a|nothing to download",
                "download https://h/a|the last argument is the target",
                "download s3://a/b s3://c|millrace copy",
                "download https://h/{0..1} https://h/a s3://a|cannot be combined",
                "download https://h/{0..1} https://h/{2..3} s3://a|cannot be combined",
                "download https://h/a s3://a --manifest s3://m/n|cannot be combined",
                "evict s3://a --overwrite always|--overwrite"
            })
    void contradictingOptionsAreAUsageError(String command, String said) {
        CommandHarness.Result result = CommandHarness.at(server, folder).run(command.split(" "));

        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).startsWith("millrace: ").contains(said);
        assertThat(result.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(server.asked()).isEmpty();
    }
}
