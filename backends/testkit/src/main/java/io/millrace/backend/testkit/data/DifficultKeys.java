package io.millrace.backend.testkit.data;

import io.millrace.backend.spi.object.ObjectKey;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Difficult but legal keys, such as have broken gateways; all can live in one bucket side by side. Most come from a few
 * odd components at each position of a key; the others are whole keys of their own.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html">Object keys</a>
 */
public final class DifficultKeys {
    /** Components that a path, a URL, a shell or an XML writer reads as more than a name. */
    private static final List<String> ODD = words("""
            . .. ... .... ~ - -- -rf * ? [a-z] {a,b} ! # $HOME $(id) `id` | & ; ;v=1 a;b = a=b @ : a:b C: \\ ..\\ a\\b
            ' " < > <a>&amp;</a> ]]> + a+b % %% %2F %2f %252F %2E%2E %00 %zz %c0%ae &#0; name. .name name.. CON
            con.txt NUL aux COM1 .millrace .git ${jndi:x}""");

    /** Components of space, control and invisible characters. */
    private static final List<String> INVISIBLE = List.of(
            " ",
            "  ",
            "name ",
            " name",
            "\t",
            "\n",
            "\r",
            "\r\n",
            "\u0001",
            "\u001B[31m",
            "\u007F",
            "\u0085",
            "\u2028");

    /** Positions of an odd component. */
    private static final List<UnaryOperator<String>> PLACES =
            List.of(odd -> odd, odd -> odd + "/below", odd -> "above/" + odd, odd -> "x" + odd + "/" + odd + "/y");

    private DifficultKeys() {}

    /** Returns at least 300 keys, each once, in no particular order. */
    public static List<ObjectKey> keys() {
        Set<String> names = new LinkedHashSet<>();
        PLACES.forEach(place -> ODD.forEach(odd -> names.add(place.apply(odd))));
        PLACES.forEach(place -> INVISIBLE.forEach(odd -> names.add(place.apply(odd))));
        names.addAll(slashes());
        names.addAll(besideEachOther());
        names.addAll(almostEqual());
        names.addAll(edgesOfUnicode());
        names.addAll(likeEncodings());
        names.addAll(longOnes());
        names.addAll(controls());
        return names.stream().map(ObjectKey::new).toList();
    }

    private static List<String> slashes() {
        return words("""
                / // /// /lead //lead trail/ trail// mid//dle mid///dle /a/ /./ /../ a/../b a/./b a/.. a/. ../up
                ../../up ../../../../../../etc/passwd /etc/passwd ./here a/../../b ..// ...// a//.. \\..\\..\\up ..%2Fup
                %2e%2e/up a%2Fb a%252Fb""");
    }

    /** A file system cannot have a file and a folder of one name. */
    private static List<String> besideEachOther() {
        return words("a a/b a/b/c a/b/c/d a/ a// a//b a/b/ a/b//c a! a- a. a0 a/b! ab p/q p p/ p/q/r p/q/");
    }

    /** Twins for file systems that fold case or normalize. */
    private static List<String> almostEqual() {
        return words(
                "Case case CASE Case/x case/x stra\u00DFe strasse STRASSE \u0130 \u0131 i I caf\u00E9 cafe\u0301 \u00C5"
                        + " A\u030A \u212B \uFB01 fi \uAC00 \u1100\u1161 \u03C9 \u2126 caf\u00E9/x cafe\u0301/x x x."
                        + " x\u00A0 x\u200B x\u202E x\uFEFF");
    }

    /** Neighbours in UTF-8 that UTF-16 sorts the other way, and code points that are no characters. */
    private static List<String> edgesOfUnicode() {
        return words("\u0080 \u07FF \u0800 \uD7FF \uE000 \uFDD0 \uFFFD \uFFFE \uFFFF \uD800\uDC00 \uDBFF\uDFFF u/\uFFFF"
                + " u/\uD800\uDC00 u/\uFF5E u/\uD83D\uDE00 \uD83D\uDC68\u200D\uD83D\uDC69\u200D\uD83D\uDC67"
                + " \uFFFF/x \u65E5\u672C\u8A9E/\u30D5\u30A1\u30A4\u30EB \u05E2\u05D1\u05E8 \u0627\u0644"
                + " \u4E00\u0301 \uD83D\uDE00/x");
    }

    /** Names that look as if somebody had encoded, hidden or stored them already. */
    private static List<String> likeEncodings() {
        return words("""
                .millrace/meta/x .millrace/tmp/1 %millrace %millrace/x =?UTF-8?Q?a?= a%20b a%2Bb %25 %E4 %C3%A4 \u00C3\u00A4
                \\u00e4 &auml; xn--4ca a.tmp a.part a~ #a# .#a a.meta a.md5 dir_$folder$ _SUCCESS _temporary/0
                x?versionId=1 x?partNumber=1 x?uploads ?list-type=2 x#fragment http://host/x s3://bucket/key bucket/key
                actuator/env minio/health %%e %%n/x %%l/x %%f %%+x %%-x %~x %=x %%/%% %%. %%.. %%% %%%2F""");
    }

    /** S3's 1,024 bytes in all shapes, and components around the 255 bytes a file system allows. */
    private static List<String> longOnes() {
        List<String> names = new ArrayList<>();
        IntStream.of(230, 300, 1023, 1024).forEach(length -> names.add("l".repeat(length)));
        IntStream.rangeClosed(245, 260).forEach(length -> names.add("l".repeat(length)));
        IntStream.rangeClosed(500, 513).forEach(length -> names.add("l".repeat(length)));
        for (int length : new int[] {251, 252, 253, 254, 255, 256, 510, 520}) {
            names.add("m".repeat(length) + "/n");
            names.add("above/" + "m".repeat(length));
            names.add("%".repeat(length));
        }
        names.add("l".repeat(300) + "/" + "l".repeat(300));
        names.add("l".repeat(300) + "/");
        for (int length : new int[] {63, 64, 127, 128, 256}) {
            names.add("\u00E4".repeat(length));
            names.add("\uD83D\uDE00".repeat(length));
        }
        names.add("\u00E4".repeat(512));
        names.add("x" + "\u65E5".repeat(341));
        names.add("d/".repeat(511) + "dd");
        names.add("/".repeat(1024));
        names.add("../".repeat(341) + "x");
        names.add(" ".repeat(1024));
        names.add("\u0002".repeat(1024));
        return names;
    }

    /** Every control character in the middle of a name, NUL among them: legal UTF-8, so a legal key. */
    private static List<String> controls() {
        return IntStream.range(0, 0x20).mapToObj(c -> "ctl" + (char) c + "c").toList();
    }

    private static List<String> words(String text) {
        return Stream.of(text.split("[ \n]")).toList();
    }
}
