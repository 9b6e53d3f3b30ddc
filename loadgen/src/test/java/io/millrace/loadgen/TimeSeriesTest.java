package io.millrace.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Tests that a time series keeps all operations in a bounded number of points. */
class TimeSeriesTest {
    @Test
    void longRunHasFewPointsThatLoseNothing() {
        TimeSeries series = new TimeSeries();
        for (int second = 0; second < 100_000; second++) {
            TimeSeries.Interval interval = new TimeSeries.Interval(second, 1);
            Histogram micros = new Histogram(3);
            micros.recordValue(1000);
            interval.add(micros, 1, 10);
            series.add(interval);
        }

        List<SeriesPoint> points = series.points();

        assertThat(points).hasSizeBetween(200, 600);
        assertThat(points.stream().mapToLong(SeriesPoint::right).sum()).isEqualTo(100_000);
        assertThat(points.stream().mapToLong(SeriesPoint::failed).sum()).isEqualTo(100_000);
        assertThat(points.stream().mapToLong(SeriesPoint::bytes).sum()).isEqualTo(1_000_000);
        for (int i = 1; i < points.size(); i++) {
            SeriesPoint before = points.get(i - 1);
            assertThat(points.get(i).atSecond()).isEqualTo(before.atSecond() + before.seconds());
        }
    }
}
