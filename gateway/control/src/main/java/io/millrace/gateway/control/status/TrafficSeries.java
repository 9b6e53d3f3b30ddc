package io.millrace.gateway.control.status;

import io.millrace.gateway.objects.monitor.TrafficPoint;
import java.util.List;

/**
 * The traffic of the last minutes or hours as a time series.
 *
 * @param stepSeconds interval between two points
 * @param points the oldest first; fewer than requested soon after a start
 */
public record TrafficSeries(long stepSeconds, List<TrafficPoint> points) {}
