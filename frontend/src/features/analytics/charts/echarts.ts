// What of ECharts is used, and no more: it is fetched when the first chart is shown.
import { BarChart, HeatmapChart, SankeyChart } from 'echarts/charts';
import { AriaComponent, GridComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import { init, use as withParts } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

withParts([
  BarChart,
  HeatmapChart,
  SankeyChart,
  AriaComponent,
  GridComponent,
  TooltipComponent,
  VisualMapComponent,
  SVGRenderer,
]);

export { init };
